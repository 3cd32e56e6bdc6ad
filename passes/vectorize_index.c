/* vectorize_index.c - what a body computes from the iterations of its loops: indices, affine expressions of them, and
 * the comparisons that masks are made of.
 *
 * Terminates: expressions are walked once, loops and lanes of the tile are counted. */
#include "passes/mask.h"
#include "passes/vectorize_internal.h"

static tile_value index_op(const body_state *state, ir_opcode code, tile_value lhs, tile_value rhs) {
  return vectorize_elementwise(state, code, IR_INDEX, 2, (tile_value[]){lhs, rhs}, 0, NULL);
}

/* An affine expression as arithmetic on vectors of index. Divisors are positive constants. */
static tile_value affine_value(const body_state *state, const ir_op *op, const ir_expr *expr) {
  if (expr->kind == IR_EXPR_CONST)
    return (tile_value){ir_const_index(state->builder, expr->value), 0};
  if (!expr->lhs)
    return vectorize_value_of(state, ir_operand(op, ir_affine_operand(op, expr)));
  tile_value lhs = affine_value(state, op, expr->lhs), rhs = affine_value(state, op, expr->rhs);
  switch (expr->kind) {
  case IR_EXPR_ADD:
    return index_op(state, OP_ARITH_ADDI, lhs, rhs);
  case IR_EXPR_MUL:
    return index_op(state, OP_ARITH_MULI, lhs, rhs);
  case IR_EXPR_FLOORDIV:
    return index_op(state, OP_ARITH_FLOORDIVSI, lhs, rhs);
  case IR_EXPR_CEILDIV:
    return index_op(state, OP_ARITH_CEILDIVSI, lhs, rhs);
  default:
    break; /* mod */
  }
  tile_value quotient = index_op(state, OP_ARITH_FLOORDIVSI, lhs, rhs);
  return index_op(state, OP_ARITH_SUBI, lhs, index_op(state, OP_ARITH_MULI, quotient, rhs));
}

tile_value vectorize_affine(const body_state *state, const ir_op *op) {
  const ir_map *map = ir_affine_map(op);
  tile_value value = affine_value(state, op, map->results[0]);
  for (unsigned i = 1; i < map->num_results; i++)
    value = index_op(state, op->code == OP_AFFINE_MIN ? OP_ARITH_MINSI : OP_ARITH_MAXSI, value,
                     affine_value(state, op, map->results[i]));
  return value;
}

tile_value vectorize_iteration(const body_state *state, unsigned loop) {
  const vector_tile *tile = state->tile;
  tile_value start = {ir_index_value(state->builder, tile->starts[loop]), 0};
  if (!(vector_loops(tile) & ir_bit(loop)))
    return start;
  const ir_type *type = vectorize_type(tile, IR_INDEX, ir_bit(loop));
  ir_value *steps = ir_create(state->builder, OP_VECTOR_STEP, type, 0, NULL, 0, NULL);
  return index_op(state, OP_ARITH_ADDI, (tile_value){steps, ir_bit(loop)}, start);
}

/* Of numbers that are compared in 32 bits. */
enum { MOST = 1 << 30 };

/* What the iterations of a tile add to the left side of the bound, each from its own start, lane by lane in the order
 * of the tile's dims; NULL where that does not fit in 31 bits. */
static const ir_attr *lane_sums(const vector_tile *tile, const mask_bound *bound, const ir_type *type) {
  ir_module *module = tile->op->module;
  int64_t count = ir_type_num_elements(type);
  ir_cell *sums = IR_NEW_ARRAY(&module->arena, ir_cell, count);
  for (int64_t lane = 0; lane < count; lane++) {
    int64_t rest = lane;
    for (unsigned i = tile->num_dims; i-- > 0;) {
      int64_t step = bound->steps[tile->loops[i]], product;
      if (!step)
        continue;
      if (__builtin_mul_overflow(step, rest % tile->sizes[i], &product) ||
          __builtin_add_overflow(sums[lane].i, product, &sums[lane].i) || sums[lane].i > MOST || sums[lane].i < -MOST)
        return NULL;
      rest /= tile->sizes[i];
    }
  }
  return ir_attr_dense(module, type, (unsigned)count, sums);
}

bool vectorize_comparison(const body_state *state, const ir_op *op, tile_value *result) {
  const vector_tile *tile = state->tile;
  ir_builder *builder = state->builder;
  mask mask = {.count = 0};
  if (!tile->lane_constants || op->code != OP_ARITH_CMPI || ir_predicate_of(op) == IR_EQUAL)
    return false;
  mask_add(&mask, tile->op, ir_result(op, 0), true);
  if (mask.count != 1)
    return false;
  const mask_bound *bound = &mask.bounds[0];
  if (bound->least || bound->most || bound->num_quotients)
    return false;
  uint32_t loops = 0;
  ir_index start = mask_outer(builder, bound);
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    if (bound->steps[loop]) {
      loops |= vector_loops(tile) & ir_bit(loop);
      start = ir_index_add(builder, start, ir_index_scale(builder, tile->starts[loop], bound->steps[loop]));
    }
  const ir_type *type = vectorize_type(tile, IR_I32, loops);
  const ir_attr *sums = loops ? lane_sums(tile, bound, type) : NULL;
  if (!sums)
    return false;
  ir_index room = ir_index_max(builder, ir_index_scale(builder, start, -1), ir_index_const(-MOST - 1));
  room = ir_index_min(builder, room, ir_index_const(MOST + 1));
  ir_value *narrow =
      ir_unary(builder, OP_ARITH_INDEX_CAST, ir_index_value(builder, room), ir_type_scalar(builder->module, IR_I32));
  tile_value sides[] = {{ir_constant(builder, type, sums), loops}, {narrow, 0}};
  ir_named_attr predicate = {"predicate", ir_attr_i64(builder->module, IR_SIGNED_LESS_EQUAL)};
  *result = vectorize_elementwise(state, OP_ARITH_CMPI, IR_I1, 2, sides, 1, &predicate);
  return true;
}
