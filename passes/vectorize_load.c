/* vectorize_load.c - loads in a body, as a gather has: rows of a table that are found through another one, say. They
 * are vectors where neighbours in lanes are neighbours in memory. Others are loaded one by one, by way of scratch
 * memory where the body computes much, which need not be done one by one then (a rotation by computed angles of what
 * stands elsewhere 6 times as fast; of angles that are loaded, too, .35 times; steps of a sort 3.7 times; Zen 4).
 * Elements of a table so small that registers hold it are gathered from there.
 *
 * Invariant: lanes are neighbours along a loop only if the load's last subscript alone depends on it, as the iteration
 * plus what is the same in all lanes, or as that minus the iteration, so that the first lane's subscripts say where all
 * are.
 * Terminates: walks from values to what they are computed from, each step to an earlier op of the body. */
#include "passes/body.h"
#include "passes/memory.h"
#include "passes/vectorize_internal.h"

#include <string.h>

enum { MANY_OPS = 8 }; /* for each load */

/* The one operand of the op that depends on the loop, where it is a term of the result, or with *sign changed is one;
 * NULL where there is none. */
static ir_value *term_along(const body_loops *body, const ir_op *op, unsigned loop, int *sign) {
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
  const ir_map *map = op->code == OP_AFFINE_APPLY ? ir_affine_map(op) : NULL;
  int taken = map && !map->num_syms ? vectorize_sign_of_term(map->results[0], place) : 0;
  bool is_term = taken || op->code == OP_ARITH_ADDI || op->code == OP_ARITH_SUBI ||
                 (op->code == OP_ARITH_INDEX_CAST && ir_is_index_wide(term));
  if (taken < 0 || (op->code == OP_ARITH_SUBI && place))
    *sign = -*sign;
  return is_term && ir_is_index_wide(ir_result(op, 0)) ? term : NULL;
}

/* 1: the value is the loop's iteration plus something that does not depend on it; -1: .. minus the iteration; else
 * 0. */
static int direction_along(const body_loops *body, const ir_value *value, unsigned loop) {
  int sign = 1;
  while (value && value->op && value->op->block == body->block) {
    if (value->op->code == OP_LINALG_INDEX)
      return ir_attr_int_or(value->op, "dim", 0) == (int64_t)loop ? sign : 0;
    value = term_along(body, value->op, loop, &sign);
  }
  return 0;
}

/* The loops (bits) along which lanes are neighbours. */
static uint32_t neighbours_along(const body_loops *body, const ir_op *load) {
  const ir_type *type = ir_operand(load, 0)->type;
  uint32_t others = 0, lanes = 0;
  if (!type->rank || ir_type_stride(type, type->rank - 1u) != 1)
    return 0;
  for (unsigned dim = 0; dim + 1 < type->rank; dim++)
    others |= vectorize_depends(body, ir_operand(load, 1 + dim));
  const ir_value *last = ir_operand(load, type->rank);
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    if (vectorize_depends(body, last) & ~others & ir_bit(loop) && direction_along(body, last, loop))
      lanes |= ir_bit(loop);
  return lanes;
}

/* The body computes so much with each element that this is worth a way through scratch memory. */
static bool computes_much(const ir_op *op) {
  unsigned loads = 0, ops = 0;
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next) {
    loads += inner->code == OP_MEMREF_LOAD;
    ops += ir_op_has(inner, IR_ELEMENTWISE);
  }
  return ops >= MANY_OPS * loads || body_has_polynomial(op);
}

uint32_t vectorize_load_lanes(const body_loops *body, const ir_op *load) {
  uint32_t neighbours = neighbours_along(body, load);
  const ir_op *op = ir_op_parent(load);
  if (memory_is_lookup(load))
    return UINT32_MAX;
  int last = ir_op_has(op, IR_STRUCTURED) && ir_num_inits(op) ? ir_map_last_dim(ir_init_map(op, 0)) : -1;
  if (last >= 0 && neighbours >> last & 1) /* along two loops at once they are none */
    return ir_bit((unsigned)last);
  if (neighbours || ir_scalar_bits(ir_result(load, 0)->type->element) < 8)
    return neighbours;
  return computes_much(op) ? UINT32_MAX : 0;
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
  ir_index operands[IR_MAX_LOOPS] = {{0}};
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = first_lane(state, ir_operand(op, i));
  return op->code == OP_ARITH_ADDI   ? ir_index_add(builder, operands[0], operands[1])
         : op->code == OP_ARITH_SUBI ? ir_index_sub(builder, operands[0], operands[1])
         : op->code == OP_AFFINE_APPLY
             ? ir_index_apply(builder, ir_affine_map(op)->results[0], op->num_operands, operands)
             : operands[0];
}

/* The elements of a vector the other way round. */
static ir_value *reverse(ir_builder *builder, ir_value *vector) {
  int64_t *places = IR_NEW_ARRAY(&builder->module->arena, int64_t, vector->type->shape[0]);
  unsigned count = (unsigned)vector->type->shape[0];
  for (unsigned i = 0; i < count; i++)
    places[i] = count - 1 - i;
  ir_named_attr mask = {"mask", ir_attr_i64s(builder->module, count, places)};
  ir_value *both[] = {vector, vector};
  return ir_create(builder, OP_VECTOR_SHUFFLE, NULL, 2, both, 1, &mask);
}

/* The read, of the lanes that a mask has. */
static ir_op *mask_read(ir_builder *builder, ir_op *read, ir_value *mask) {
  unsigned rank = ir_operand(read, 0)->type->rank;
  ir_value *operands[IR_MAX_RANK + 3];
  for (unsigned i = 0; i < read->num_operands; i++)
    operands[i] = ir_operand(read, i);
  operands[read->num_operands] = mask;
  ir_op_spec spec = ir_op_spec_of(read, operands, NULL);
  spec.num_operands++;
  memcpy(spec.groups, (unsigned[IR_MAX_GROUPS]){1, rank, 1, 1}, sizeof spec.groups);
  ir_op *masked = ir_op_create(builder, OP_VECTOR_TRANSFER_READ, &spec);
  ir_op_erase(read);
  return masked;
}

/* Neighbours in memory of which the first lane has the last: elements before those of lanes beyond the end of a loop
 * may be none. */
static ir_value *load_backwards(const body_state *state, ir_value *base, ir_value **indices, uint32_t lanes) {
  ir_builder *builder = state->builder;
  const ir_type *type = vectorize_type(state->tile, base->type->element, lanes);
  unsigned last = base->type->rank - 1;
  ir_index first = ir_index_sub(builder, (ir_index){.value = indices[last]}, ir_index_const(type->shape[0] - 1));
  indices[last] = ir_index_value(builder, first);
  ir_op *read = ir_transfer(builder, OP_VECTOR_TRANSFER_READ, type, NULL, base, indices, NULL, NULL);
  if (state->tile->masked & lanes)
    read = mask_read(builder, read, reverse(builder, vectorize_mask(builder, state->tile, lanes)));
  return reverse(builder, ir_result(read, 0));
}

/* Neighbours in memory, from those of the first lane on. */
static ir_value *load_neighbours(const body_state *state, const ir_op *load, uint32_t lanes) {
  ir_builder *builder = state->builder;
  ir_value *base = ir_operand(load, 0), *indices[IR_MAX_RANK];
  unsigned last = base->type->rank - 1;
  for (unsigned dim = 0; dim < last; dim++)
    indices[dim] = vectorize_value_of(state, ir_operand(load, 1 + dim)).value;
  indices[last] = ir_index_value(builder, first_lane(state, ir_operand(load, 1 + last)));
  body_loops body = {state->body, state->values};
  if (direction_along(&body, ir_operand(load, 1 + last), (unsigned)__builtin_ctz(lanes)) < 0)
    return load_backwards(state, base, indices, lanes);
  const ir_type *type = vectorize_type(state->tile, base->type->element, lanes);
  bool in_bounds = !(state->tile->masked & lanes);
  return ir_result(ir_transfer(builder, OP_VECTOR_TRANSFER_READ, type, NULL, base, indices, NULL, &in_bounds), 0);
}

/* A vector and scratch memory of its shape. */
typedef struct spill {
  const ir_type *type;
  ir_value *memory;
  ir_value *start[IR_MAX_RANK];
} spill;

static spill spill_of(const body_state *state, ir_scalar element, uint32_t loops) {
  spill s = {.type = vectorize_type(state->tile, element, loops)};
  s.memory = memory_scratch(state->tile->op, element, s.type->rank, s.type->shape);
  ir_value *zero = ir_const_index(state->builder, 0);
  for (unsigned dim = 0; dim < s.type->rank; dim++)
    s.start[dim] = zero;
  return s;
}

/* Elements that lie anywhere, one by one: their subscripts come from scratch memory, and they go there. Lanes beyond
 * the end of a loop load none, and have any number. */
static ir_value *load_apart(const body_state *state, const ir_op *load, uint32_t loops) {
  const vector_tile *tile = state->tile;
  ir_builder *builder = state->builder;
  ir_value *base = ir_operand(load, 0), *indices[IR_MAX_RANK], *lane[IR_MAX_RANK];
  uint32_t apart = 0; /* subscripts (bits) that lanes have of their own */
  spill loaded = spill_of(state, base->type->element, loops);
  for (unsigned dim = 0; dim < base->type->rank; dim++) {
    tile_value index = vectorize_value_of(state, ir_operand(load, 1 + dim));
    indices[dim] = index.value;
    if (!index.loops)
      continue;
    spill own = spill_of(state, IR_INDEX, loops);
    ir_transfer(builder, OP_VECTOR_TRANSFER_WRITE, own.type, vectorize_broadcast(state, index, loops), own.memory,
                own.start, NULL, NULL);
    indices[dim] = own.memory;
    apart |= ir_bit(dim);
  }
  ir_builder inside = *builder;
  for (unsigned i = 0, dim = 0; i < tile->num_dims; i++) {
    unsigned loop = tile->loops[i];
    if (!(loops & ir_bit(loop)))
      continue;
    ir_index end = ir_index_const(tile->sizes[i]);
    if (tile->masked & ir_bit(loop))
      end = ir_index_min(&inside, end, ir_index_sub(&inside, tile->ends[loop], tile->starts[loop]));
    lane[dim++] = ir_enter_for(&inside, ir_index_const(0), end, 1).value;
  }
  for (unsigned dim = 0; dim < base->type->rank; dim++)
    if (apart & ir_bit(dim))
      indices[dim] = ir_result(ir_access(&inside, NULL, indices[dim], lane, NULL), 0);
  ir_access(&inside, NULL, loaded.memory, lane, ir_result(ir_access(&inside, NULL, base, indices, NULL), 0));
  return ir_result(
      ir_transfer(builder, OP_VECTOR_TRANSFER_READ, loaded.type, NULL, loaded.memory, loaded.start, NULL, NULL), 0);
}

/* Elements of a small table, which all lanes find in registers. */
static ir_value *look_up(const body_state *state, const ir_op *load, uint32_t loops) {
  ir_builder *builder = state->builder;
  ir_value *base = ir_operand(load, 0), *index = vectorize_value_of(state, ir_operand(load, 1)).value;
  const ir_type *type = vectorize_type(state->tile, base->type->element, loops);
  ir_value *operands[] = {base, ir_const_index(builder, 0), index, vectorize_mask(builder, state->tile, loops),
                          ir_splat(builder, type, (ir_cell){.i = 0})};
  return ir_create(builder, OP_VECTOR_GATHER, type, 5, operands, 0, NULL);
}

tile_value vectorize_load(const body_state *state, const ir_op *load, uint32_t loops) {
  body_loops body = {state->body, state->values};
  bool are_neighbours = (loops & (loops - 1)) == 0 && neighbours_along(&body, load) == loops;
  return (tile_value){are_neighbours           ? load_neighbours(state, load, loops)
                      : memory_is_lookup(load) ? look_up(state, load, loops)
                                               : load_apart(state, load, loops),
                      loops};
}
