/* mask.c - affine inequalities from comparisons in bodies, and the iterations in which they hold; see mask.h.
 *
 * Sums and products of 64-bit numbers that would overflow give no inequality. Terminates: operands are followed up to
 * MAX_DEPTH. */
#include "passes/mask.h"

#include <math.h>

enum { MAX_DEPTH = 32 };

/* ----------------------------------------------------------------------------------------------------- linear forms */

static bool add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static bool add_term(mask_bound *bound, ir_value *value, int64_t factor) {
  unsigned i = 0;
  while (i < bound->count && bound->values[i] != value)
    i++;
  const ir_block *body = ir_region(bound->op, 0);
  bool is_counter = bound->op->code == OP_SCF_FOR && value == body->args[0];
  if (i == MASK_MAX_TERMS || (!is_counter && !ir_value_is_outside(value, body)))
    return false;
  if (i == bound->count) {
    bound->values[bound->count++] = value;
    bound->coefficients[i] = 0;
  }
  return add_product(&bound->coefficients[i], factor, 1);
}

/* Adds factor * value, an index as the body sees it. False where that is no linear form. */
static bool add_value(mask_bound *bound, ir_value *value, int64_t factor, unsigned depth);

static bool add_expr(mask_bound *bound, const ir_op *apply, const ir_expr *expr, int64_t factor, unsigned depth) {
  const ir_map *map = ir_attr_get(apply, "map")->map;
  if (depth == MAX_DEPTH)
    return false;
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return add_product(&bound->constant, expr->value, factor);
  case IR_EXPR_DIM:
    return add_value(bound, ir_operand(apply, (unsigned)expr->value), factor, depth + 1);
  case IR_EXPR_SYM:
    return add_value(bound, ir_operand(apply, map->num_dims + (unsigned)expr->value), factor, depth + 1);
  case IR_EXPR_ADD:
    return add_expr(bound, apply, expr->lhs, factor, depth + 1) && add_expr(bound, apply, expr->rhs, factor, depth + 1);
  case IR_EXPR_MUL:
    return expr->rhs->kind == IR_EXPR_CONST && !__builtin_mul_overflow(factor, expr->rhs->value, &factor) &&
           add_expr(bound, apply, expr->lhs, factor, depth + 1);
  default:
    return false;
  }
}

static bool add_value(mask_bound *bound, ir_value *value, int64_t factor, unsigned depth) {
  ir_cell constant;
  if (depth == MAX_DEPTH)
    return false;
  if (ir_value_splat(value, &constant))
    return add_product(&bound->constant, constant.i, factor);
  ir_op *from = value->op;
  switch (from ? from->code : IR_NUM_OPCODES) {
  case OP_LINALG_INDEX:
    return add_product(&bound->steps[ir_attr_int_or(from, "dim", 0)], factor, 1);
  case OP_AFFINE_APPLY:
    return add_expr(bound, from, ir_attr_get(from, "map")->map->results[0], factor, depth + 1);
  case OP_ARITH_ADDI:
    return add_value(bound, ir_operand(from, 0), factor, depth + 1) &&
           add_value(bound, ir_operand(from, 1), factor, depth + 1);
  case OP_ARITH_SUBI:
    return factor != INT64_MIN && add_value(bound, ir_operand(from, 0), factor, depth + 1) &&
           add_value(bound, ir_operand(from, 1), -factor, depth + 1);
  case OP_ARITH_INDEX_CAST:
    return ir_scalar_bits(ir_operand(from, 0)->type->element) == 64 && ir_scalar_bits(value->type->element) == 64 &&
           add_value(bound, ir_operand(from, 0), factor, depth + 1);
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_SHAPE_CAST:
    return add_value(bound, ir_operand(from, 0), factor, depth + 1);
  case OP_VECTOR_STEP: /* 0, 1, .. */
    return add_product(factor < 0 ? &bound->least : &bound->most, value->type->shape[0] - 1, factor);
  default:
    return value->type->kind == IR_TYPE_SCALAR && value->type->element == IR_INDEX && add_term(bound, value, factor);
  }
}

/* ------------------------------------------------------------------------------------------------------- conditions */

static bool is_negatable(const mask_bound *bound) {
  bool safe = bound->constant != INT64_MIN && bound->least != INT64_MIN;
  for (unsigned i = 0; i < bound->count; i++)
    safe &= bound->coefficients[i] != INT64_MIN;
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    safe &= bound->steps[loop] != INT64_MIN;
  return safe;
}

/* lhs - rhs + distance <= 0 */
static void add_bound(mask *mask, ir_op *op, ir_value *lhs, ir_value *rhs, int64_t distance) {
  mask_bound bound = {.op = op, .constant = distance};
  if (mask->count < MASK_MAX_BOUNDS && add_value(&bound, lhs, 1, 0) && add_value(&bound, rhs, -1, 0) &&
      is_negatable(&bound))
    mask->bounds[mask->count++] = bound;
}

/* The index is never negative, whatever the iteration of the op's loops and of those around it. */
static bool is_natural(ir_op *op, ir_value *value) {
  mask_bound bound = {.op = op};
  bool natural = add_value(&bound, value, 1, 0) && bound.constant >= 0 && bound.least >= 0;
  for (unsigned i = 0; natural && i < bound.count; i++)
    natural = bound.coefficients[i] >= 0 && ir_index_least((ir_index){.value = bound.values[i]}) >= 0;
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    natural = natural && bound.steps[loop] >= 0;
  return natural;
}

/* The comparison gives `wanted`. Predicates stand as their numbers in MLIR's order. Comparing as unsigned numbers is
 * the same where neither side is negative. */
static void add_comparison(mask *mask, ir_op *op, const ir_op *compare, bool wanted) {
  enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, UGE = ULT + SGE - SLT };
  static const int inverse[] = {[EQ] = NE, [NE] = EQ, [SLT] = SGE, [SLE] = SGT, [SGT] = SLE, [SGE] = SLT};
  int64_t predicate = ir_attr_int_or(compare, "predicate", NE);
  ir_value *lhs = ir_operand(compare, 0), *rhs = ir_operand(compare, 1);
  if (predicate > SGE) {
    if (predicate > UGE || !is_natural(op, lhs) || !is_natural(op, rhs))
      return;
    predicate -= ULT - SLT;
  }
  if (!wanted)
    predicate = inverse[predicate];
  if (predicate == SLT || predicate == SLE || predicate == EQ)
    add_bound(mask, op, lhs, rhs, predicate == SLT);
  if (predicate == SGT || predicate == SGE || predicate == EQ)
    add_bound(mask, op, rhs, lhs, predicate == SGT);
}

static void add_condition(mask *mask, ir_op *op, const ir_value *condition, bool wanted, unsigned depth) {
  const ir_op *from = condition->op;
  if (!from || depth == MAX_DEPTH)
    return;
  ir_cell flipped;
  if (from->code == OP_ARITH_CMPI)
    add_comparison(mask, op, from, wanted);
  else if (from->code == (wanted ? OP_ARITH_ANDI : OP_ARITH_ORI))
    for (unsigned i = 0; i < 2; i++)
      add_condition(mask, op, ir_operand(from, i), wanted, depth + 1);
  else if (from->code == OP_ARITH_XORI && ir_value_splat(ir_operand(from, 1), &flipped))
    add_condition(mask, op, ir_operand(from, 0), wanted == !flipped.i, depth + 1);
}

void mask_add(mask *mask, ir_op *op, const ir_value *condition, bool wanted) {
  add_condition(mask, op, condition, wanted, 0);
}

bool mask_add_least(mask *mask, ir_op *op, ir_value *index, int64_t least) {
  const ir_op *minimum = index->op && index->op->code == OP_AFFINE_MIN ? index->op : NULL;
  const ir_map *map = minimum ? ir_attr_get(minimum, "map")->map : NULL;
  for (unsigned i = 0; i < (map ? map->num_results : 1); i++) {
    mask_bound bound = {.op = op, .constant = least};
    if (mask->count == MASK_MAX_BOUNDS ||
        !(map ? add_expr(&bound, minimum, map->results[i], -1, 0) : add_value(&bound, index, -1, 0)) ||
        !is_negatable(&bound))
      return false;
    mask->bounds[mask->count++] = bound;
  }
  return true;
}

bool mask_is_hidden(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && ir_scalar_is_float(value->type->element) && cell.f == -INFINITY;
}

/* -------------------------------------------------------------------------------------------------- as index values */

ir_index mask_outer(ir_builder *builder, const mask_bound *bound) {
  ir_index sum = ir_index_const(bound->constant);
  for (unsigned i = 0; i < bound->count; i++)
    if (bound->coefficients[i])
      sum = ir_index_add(builder, sum, ir_index_scale(builder, ir_index_of(bound->values[i]), bound->coefficients[i]));
  return sum;
}

bool mask_narrow(ir_builder *builder, mask_window *window, const mask_bound *bound) {
  mask_bound others = *bound;
  int64_t slope = 0;
  for (unsigned i = 0; i < bound->count; i++) {
    if (bound->values[i] == window->counter) {
      slope = bound->coefficients[i];
      others.coefficients[i] = 0;
    } else if (!ir_value_is_outside(bound->values[i], window->counter->block))
      return false;
  }
  if (!slope || bound->constant == INT64_MIN)
    return false;
  ir_index room = ir_index_scale(builder, mask_outer(builder, &others), -1); /* slope * counter <= room */
  if (slope > 0) {
    ir_index last = ir_index_floordiv(builder, room, slope);
    window->upper = ir_index_min(builder, window->upper, ir_index_add(builder, last, ir_index_const(1)));
    return true;
  }
  /* counter >= -floor(room / -slope): the steps before that are left out */
  ir_index first = ir_index_scale(builder, ir_index_floordiv(builder, room, -slope), -1);
  ir_index steps = ir_index_ceildiv(builder, ir_index_sub(builder, first, window->lower), window->step);
  ir_index left_out = ir_index_max(builder, steps, ir_index_const(0));
  window->lower = ir_index_add(builder, window->lower, ir_index_scale(builder, left_out, window->step));
  return true;
}
