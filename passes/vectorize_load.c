/* vectorize_load.c - loads in a body, as a gather has: rows of a table that are found through another one, say, which
 * are read as vectors where neighbours in lanes are neighbours in memory.
 *
 * Invariant: a load has lanes along a loop only if its last subscript alone depends on it, as the iteration plus what
 * is the same in all lanes, so that the first lane's subscripts say where all are.
 * Terminates: walks from values to what they are computed from, each step to an earlier op of the body. */
#include "passes/vectorize_internal.h"

static bool is_wide(const ir_value *value) {
  return value->type->kind == IR_TYPE_SCALAR && (value->type->element == IR_INDEX || value->type->element == IR_I64);
}

/* The one operand of the op that depends on the loop, where it is a term of the result; NULL where there is none. */
static ir_value *term_along(const body_loops *body, const ir_op *op, unsigned loop) {
  ir_value *term = NULL;
  unsigned place = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (vectorize_depends(body, ir_operand(op, i)) & ir_bit(loop)) {
      if (term)
        return NULL;
      term = ir_operand(op, i);
      place = i;
    }
  if (!term)
    return NULL;
  const ir_map *map = op->code == OP_AFFINE_APPLY ? ir_attr_get(op, "map")->map : NULL;
  bool is_term = op->code == OP_ARITH_ADDI || (op->code == OP_ARITH_SUBI && !place) ||
                 (op->code == OP_ARITH_INDEX_CAST && is_wide(term)) ||
                 (map && !map->num_syms && vectorize_has_term(map->results[0], place));
  return is_term && is_wide(ir_result(op, 0)) ? term : NULL;
}

/* The value is the loop's iteration plus something that does not depend on it. */
static bool is_iteration(const body_loops *body, const ir_value *value, unsigned loop) {
  while (value && value->op && value->op->block == body->block) {
    if (value->op->code == OP_LINALG_INDEX)
      return ir_attr_int_or(value->op, "dim", 0) == (int64_t)loop;
    value = term_along(body, value->op, loop);
  }
  return false;
}

uint32_t vectorize_load_lanes(const body_loops *body, const ir_op *load) {
  const ir_type *type = ir_operand(load, 0)->type;
  int64_t strides[IR_MAX_RANK];
  uint32_t others = 0, lanes = 0;
  if (!type->rank)
    return 0;
  ir_type_strides(type, strides);
  for (unsigned dim = 0; dim + 1 < type->rank; dim++)
    others |= vectorize_depends(body, ir_operand(load, 1 + dim));
  const ir_value *last = ir_operand(load, type->rank);
  for (unsigned loop = 0; strides[type->rank - 1] == 1 && loop < IR_MAX_LOOPS; loop++)
    if (vectorize_depends(body, last) & ~others & ir_bit(loop) && is_iteration(body, last, loop))
      lanes |= ir_bit(loop);
  return lanes;
}

/* The value, an index or as wide, in the tile's first lane. */
static ir_index first_lane(const body_state *state, ir_value *value) {
  tile_value known = vectorize_value_of(state, value);
  ir_builder *builder = state->builder;
  if (!known.loops)
    return ir_index_of(known.value->type->element == IR_INDEX
                           ? known.value
                           : ir_unary(builder, OP_ARITH_INDEX_CAST, known.value, ir_type_index(builder->module)));
  const ir_op *op = value->op;
  if (op->code == OP_LINALG_INDEX)
    return state->tile->starts[ir_attr_int_or(op, "dim", 0)];
  ir_index operands[IR_MAX_RANK] = {{0}};
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = first_lane(state, ir_operand(op, i));
  return op->code == OP_ARITH_ADDI   ? ir_index_add(builder, operands[0], operands[1])
         : op->code == OP_ARITH_SUBI ? ir_index_sub(builder, operands[0], operands[1])
         : op->code == OP_AFFINE_APPLY
             ? ir_index_apply(builder, ir_attr_get(op, "map")->map->results[0], op->num_operands, operands)
             : operands[0];
}

tile_value vectorize_load(const body_state *state, const ir_op *load, uint32_t lanes) {
  ir_builder *builder = state->builder;
  ir_value *base = ir_operand(load, 0), *indices[IR_MAX_RANK];
  unsigned last = base->type->rank - 1;
  for (unsigned dim = 0; dim < last; dim++)
    indices[dim] = vectorize_value_of(state, ir_operand(load, 1 + dim)).value;
  indices[last] = ir_index_value(builder, first_lane(state, ir_operand(load, 1 + last)));
  const ir_type *element = ir_type_scalar(builder->module, base->type->element);
  bool in_bounds = !(state->tile->masked & lanes);
  ir_op *read = ir_transfer(builder, OP_VECTOR_TRANSFER_READ, vectorize_type(state->tile, element->element, lanes),
                            ir_const(builder, element, 0), base, indices, &last, &in_bounds);
  return (tile_value){ir_result(read, 0), lanes};
}
