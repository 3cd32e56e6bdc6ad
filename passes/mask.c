/* mask.c - affine inequalities from comparisons in bodies, and the iterations in which they hold; see mask.h.
 *
 * Sums and products of 64-bit numbers that would overflow give no inequality. Numbers of fewer bits wrap around, so a
 * sum of them is the sum of indices only where that is known to fit. An integer that is not made of indices, a length
 * from memory for one, can be anything: it may be one side of a comparison; what it is added to is known where it is
 * near, and a mask that is to leave out iterations leaves out none elsewhere.
 * Quotients by constants stay what they are, as steps, for as long as both sides of a comparison have one: either can
 * be multiplied out, and a bound must be affine in what it is solved for, while the other side is known then.
 * Terminates: operands are followed for MAX_STEPS, each as often as it is used; quotients are nested no deeper. */
#include "passes/mask.h"

#include "passes/extent.h"

#include <math.h>
#include <string.h>

enum {
  MAX_STEPS = 256,
  FAR_BITS = 44,        /* indices, and sums of them, are less than this power of two */
  MAX_FACTOR = 1 << 18, /* times what is less than that is a number of 64 bits */
};
#define FAR (INT64_C(1) << FAR_BITS)

/* --------------------------------------------------------------------------------------------------------- equality */

static bool bounds_are_equal(const mask_bound *a, const mask_bound *b) {
  bool same = a->op == b->op && a->count == b->count && a->takes_near == b->takes_near && a->constant == b->constant &&
              a->least == b->least && a->most == b->most && a->num_quotients == b->num_quotients &&
              !memcmp(a->steps, b->steps, sizeof a->steps);
  for (unsigned i = 0; same && i < a->count; i++)
    same = a->values[i] == b->values[i] && a->coefficients[i] == b->coefficients[i] && a->near[i] == b->near[i];
  for (unsigned i = 0; same && i < a->num_quotients; i++) {
    const mask_quotient *x = &a->quotients[i], *y = &b->quotients[i];
    same = x->divisor == y->divisor && x->factor == y->factor && bounds_are_equal(x->dividend, y->dividend);
  }
  return same;
}

bool mask_equal(const mask *a, const mask *b) {
  bool same = a->count == b->count;
  for (unsigned i = 0; same && i < a->count; i++)
    same = bounds_are_equal(&a->bounds[i], &b->bounds[i]);
  return same;
}

/* ----------------------------------------------------------------------------------------------------- linear forms */

static bool add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static bool add_term(mask_bound *bound, ir_value *value, int64_t factor, bool near) {
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
    bound->near[i] = false;
  }
  bound->near[i] |= near;
  return add_product(&bound->coefficients[i], factor, 1);
}

/* Adds factor * (a dividend floordiv divisor). Returns the dividend, which is 0 yet, or NULL. */
static mask_bound *add_quotient(mask_bound *bound, int64_t divisor, int64_t factor) {
  if (bound->num_quotients == MASK_MAX_QUOTIENTS || divisor <= 0)
    return NULL;
  mask_bound dividend = {.op = bound->op, .takes_near = bound->takes_near};
  mask_bound *copy = ir_arena_copy(&bound->op->module->arena, &dividend, sizeof dividend);
  bound->quotients[bound->num_quotients++] = (mask_quotient){copy, divisor, factor};
  return copy;
}

/* Adds factor * value, an index as the body sees it, or what it was before it wrapped around. False where that is no
 * linear form. */
static bool add_value(mask_bound *bound, ir_value *value, int64_t factor, unsigned *steps);

/* The number is what its bits say: nothing has wrapped around. */
static bool fits(const mask_bound *bound, ir_value *value, unsigned *steps);

/* The number is never negative, whatever the iteration of the op's loops and of those around it. */
static bool is_natural(const mask_bound *bound, ir_value *value, unsigned *steps);

static bool add_expr(mask_bound *bound, const ir_op *apply, const ir_expr *expr, int64_t factor, unsigned *steps) {
  mask_bound *dividend;
  if (!*steps || !--*steps)
    return false;
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return add_product(&bound->constant, expr->value, factor);
  case IR_EXPR_DIM:
  case IR_EXPR_SYM:
    return add_value(bound, ir_operand(apply, ir_affine_operand(apply, expr)), factor, steps);
  case IR_EXPR_ADD:
    return add_expr(bound, apply, expr->lhs, factor, steps) && add_expr(bound, apply, expr->rhs, factor, steps);
  case IR_EXPR_MUL:
    return expr->rhs->kind == IR_EXPR_CONST && !__builtin_mul_overflow(factor, expr->rhs->value, &factor) &&
           add_expr(bound, apply, expr->lhs, factor, steps);
  case IR_EXPR_MOD: /* anything from 0 to what is less than the divisor */
    return expr->rhs->kind == IR_EXPR_CONST && expr->rhs->value > 0 &&
           add_product(factor < 0 ? &bound->least : &bound->most, expr->rhs->value - 1, factor);
  case IR_EXPR_FLOORDIV:
    dividend = expr->rhs->kind == IR_EXPR_CONST ? add_quotient(bound, expr->rhs->value, factor) : NULL;
    return dividend && add_expr(dividend, apply, expr->lhs, 1, steps);
  default:
    return false;
  }
}

/* Rounding towards zero, and what takes bits for a natural number, is rounding down where nothing is negative. */
static bool add_division(mask_bound *bound, const ir_op *from, int64_t factor, unsigned *steps) {
  bool is_shift = from->code == OP_ARITH_SHRUI || from->code == OP_ARITH_SHRSI;
  bool rounds_down = from->code == OP_ARITH_FLOORDIVSI || from->code == OP_ARITH_SHRSI;
  ir_value *numerator = ir_operand(from, 0);
  ir_cell divisor;
  if (!ir_value_splat(ir_operand(from, 1), &divisor) || !fits(bound, numerator, steps) ||
      (!rounds_down && !is_natural(bound, numerator, steps)))
    return false;
  if (is_shift)
    divisor.i =
        divisor.i >= 0 && divisor.i < ir_scalar_bits(numerator->type->element) - 1 ? INT64_C(1) << divisor.i : 0;
  mask_bound *dividend = add_quotient(bound, divisor.i, factor);
  return dividend && add_value(dividend, numerator, 1, steps);
}

static bool add_value(mask_bound *bound, ir_value *value, int64_t factor, unsigned *steps) {
  ir_cell constant;
  if (!*steps || !--*steps)
    return false;
  if (ir_value_splat(value, &constant))
    return add_product(&bound->constant, constant.i, factor);
  ir_op *from = value->op;
  switch (from ? from->code : IR_NUM_OPCODES) {
  case OP_LINALG_INDEX:
    return add_product(&bound->steps[ir_attr_int_or(from, "dim", 0)], factor, 1);
  case OP_AFFINE_APPLY:
    return add_expr(bound, from, ir_affine_map(from)->results[0], factor, steps);
  case OP_ARITH_ADDI:
    return add_value(bound, ir_operand(from, 0), factor, steps) && add_value(bound, ir_operand(from, 1), factor, steps);
  case OP_ARITH_SUBI:
    return factor != INT64_MIN && add_value(bound, ir_operand(from, 0), factor, steps) &&
           add_value(bound, ir_operand(from, 1), -factor, steps);
  case OP_ARITH_MULI:
    for (unsigned i = 0; i < 2; i++)
      if (ir_value_splat(ir_operand(from, 1 - i), &constant))
        return !__builtin_mul_overflow(factor, constant.i, &factor) &&
               add_value(bound, ir_operand(from, i), factor, steps);
    return false;
  case OP_ARITH_DIVSI:
  case OP_ARITH_DIVUI:
  case OP_ARITH_FLOORDIVSI:
  case OP_ARITH_SHRSI:
  case OP_ARITH_SHRUI:
    return add_division(bound, from, factor, steps);
  case OP_ARITH_INDEX_CAST:
  case OP_ARITH_EXTSI:
  case OP_ARITH_TRUNCI:
    return (ir_scalar_bits(ir_operand(from, 0)->type->element) == 64 || fits(bound, ir_operand(from, 0), steps)) &&
           add_value(bound, ir_operand(from, 0), factor, steps);
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_SHAPE_CAST:
    return add_value(bound, ir_operand(from, 0), factor, steps);
  case OP_VECTOR_STEP: /* 0, 1, .. */
    return add_product(factor < 0 ? &bound->least : &bound->most, value->type->shape[0] - 1, factor);
  default:
    if (value->type->kind != IR_TYPE_SCALAR || ir_scalar_is_float(value->type->element))
      return false;
    if (value->type->element == IR_INDEX)
      return add_term(bound, value, factor, false);
    return bound->takes_near && ir_scalar_bits(value->type->element) >= 32 && add_term(bound, value, factor, true);
  }
}

/* Adds the least that the iterations of the bound's loops add to its left side, with `sign` -1 to that times -1; false
 * where that is not known. */
static bool add_least_steps(const mask_bound *bound, int sign, int64_t *sum) {
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++) {
    int64_t least;
    if (sign > 0 ? bound->steps[loop] >= 0 : bound->steps[loop] <= 0)
      continue;
    int64_t most = extent_bound(extent_of_loop(bound->op, loop));
    if (most <= 0 || most == INT64_MAX || __builtin_mul_overflow(bound->steps[loop], most - 1, &least) ||
        !add_product(sum, least, sign))
      return false;
  }
  return true;
}

/* Adds the least that the terms come to, with `sign` -1 the least of their negatives; false where there is none. */
static bool add_least_terms(const mask_bound *bound, int sign, int64_t *sum) {
  if (!add_product(sum, bound->constant, sign) || !add_product(sum, sign > 0 ? bound->least : bound->most, sign))
    return false;
  for (unsigned i = 0; i < bound->count; i++) {
    bool rises = (bound->coefficients[i] > 0) == (sign > 0);
    ir_index value = {.value = bound->values[i]};
    int64_t end = rises ? ir_index_least(value) : ir_index_most(value), added;
    if (bound->near[i])
      end = rises ? -MASK_NEAR : MASK_NEAR;
    if (end == INT64_MIN || end == INT64_MAX || __builtin_mul_overflow(bound->coefficients[i], end, &added) ||
        !add_product(sum, added, sign))
      return false;
  }
  for (unsigned i = 0; i < bound->num_quotients; i++) {
    const mask_quotient *quotient = &bound->quotients[i];
    int side = quotient->factor > 0 ? sign : -sign;
    int64_t least = 0, end, added;
    if (!add_least_terms(quotient->dividend, side, &least) || __builtin_mul_overflow(least, side, &end) ||
        __builtin_mul_overflow(ir_floor_quotient(end, quotient->divisor), quotient->factor, &added) ||
        !add_product(sum, added, sign))
      return false;
  }
  return add_least_steps(bound, sign, sum);
}

static bool fits(const mask_bound *bound, ir_value *value, unsigned *steps) {
  mask_bound alone = {.op = bound->op, .takes_near = bound->takes_near};
  unsigned bits = ir_scalar_bits(value->type->element);
  int64_t limit = bits < 64 ? INT64_C(1) << (bits - 1) : INT64_MAX, least = 0, most = 0; /* most: of the negative */
  return bits == 64 || (add_value(&alone, value, 1, steps) && add_least_terms(&alone, 1, &least) &&
                        add_least_terms(&alone, -1, &most) && least >= -limit && most > -limit);
}

static bool is_natural(const mask_bound *bound, ir_value *value, unsigned *steps) {
  mask_bound alone = {.op = bound->op, .takes_near = bound->takes_near};
  int64_t least = 0;
  return add_value(&alone, value, 1, steps) && add_least_terms(&alone, 1, &least) && least >= 0;
}

bool mask_linear(mask_bound *form, ir_op *op, ir_value *index, bool takes_near) {
  unsigned steps = MAX_STEPS;
  *form = (mask_bound){.op = op, .takes_near = takes_near};
  return add_value(form, index, 1, &steps);
}

/* ------------------------------------------------------------------------------------------------------- conditions */

/* Multiplies the factor of an index; false where it grows too large. */
static bool multiply(int64_t *factor, int64_t by) {
  return !__builtin_mul_overflow(*factor, by, factor) && *factor <= MAX_FACTOR && *factor >= -MAX_FACTOR;
}

/* Adds factor * the left side of `other`. */
static bool add_multiple(mask_bound *bound, const mask_bound *other, int64_t factor) {
  bool done = add_product(&bound->constant, other->constant, factor) &&
              add_product(factor > 0 ? &bound->least : &bound->most, other->least, factor) &&
              add_product(factor > 0 ? &bound->most : &bound->least, other->most, factor);
  for (unsigned loop = 0; done && loop < IR_MAX_LOOPS; loop++)
    done = add_product(&bound->steps[loop], other->steps[loop], factor);
  for (unsigned i = 0; done && i < other->count; i++) {
    int64_t coefficient = other->coefficients[i];
    done = multiply(&coefficient, factor) && add_term(bound, other->values[i], coefficient, other->near[i]);
  }
  for (unsigned i = 0; done && i < other->num_quotients; i++) {
    mask_quotient quotient = other->quotients[i];
    done = bound->num_quotients < MASK_MAX_QUOTIENTS && multiply(&quotient.factor, factor);
    if (done)
      bound->quotients[bound->num_quotients++] = quotient;
  }
  return done;
}

/* Says the same without the quotient: x floordiv c + rest <= 0 just where x + c * rest <= c - 1, and
 * rest - x floordiv c <= 0 where c * rest - x <= 0. False, with nothing done, where that cannot be said. */
static bool multiply_out(mask_bound *bound, unsigned i) {
  mask_quotient quotient = bound->quotients[i];
  mask_bound rest = *bound, result = {.op = bound->op};
  rest.quotients[i] = rest.quotients[--rest.num_quotients];
  if ((quotient.factor != 1 && quotient.factor != -1) || !add_multiple(&result, quotient.dividend, quotient.factor) ||
      !add_multiple(&result, &rest, quotient.divisor) ||
      (quotient.factor == 1 && !add_product(&result.constant, 1 - quotient.divisor, 1)))
    return false;
  *bound = result;
  return true;
}

/* A copy of what a quotient divides, for the bound alone. */
static mask_bound *own_dividend(mask_bound *bound, unsigned i) {
  mask_quotient *quotient = &bound->quotients[i];
  quotient->dividend = ir_arena_copy(&bound->op->module->arena, quotient->dividend, sizeof *quotient->dividend);
  return quotient->dividend;
}

static bool is_negatable(const mask_bound *bound) {
  bool safe = bound->constant != INT64_MIN && bound->least != INT64_MIN;
  for (unsigned i = 0; i < bound->count; i++)
    safe &= bound->coefficients[i] != INT64_MIN;
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    safe &= bound->steps[loop] != INT64_MIN;
  return safe;
}

/* The integer that the value is through conversions that keep it, if it is none made of indices; or NULL. */
static ir_value *integer_of(const ir_op *op, ir_value *value) {
  while (value->op &&
         (value->op->code == OP_ARITH_INDEX_CAST || value->op->code == OP_ARITH_EXTSI ||
          value->op->code == OP_VECTOR_BROADCAST) &&
         ir_scalar_bits(ir_operand(value->op, 0)->type->element) <= ir_scalar_bits(value->type->element))
    value = ir_operand(value->op, 0);
  bool is_integer =
      value->type->kind == IR_TYPE_SCALAR && value->type->element != IR_INDEX && !ir_value_splat(value, &(ir_cell){0});
  return is_integer && ir_value_is_outside(value, ir_region(op, 0)) ? value : NULL;
}

/* Adds a side of a comparison. */
static bool add_side(mask_bound *bound, ir_value *value, int64_t factor) {
  ir_value *integer = integer_of(bound->op, value);
  unsigned steps = MAX_STEPS;
  if (integer)
    return add_term(bound, integer, factor, false);
  return fits(bound, value, &steps) && add_value(bound, value, factor, &steps);
}

/* sign * lhs - rhs + distance <= 0 */
static void add_difference(mask *mask, ir_op *op, ir_value *lhs, int sign, ir_value *rhs, int64_t distance) {
  mask_bound bound = {.op = op, .constant = distance, .takes_near = mask->takes_near};
  if (mask->count == MASK_MAX_BOUNDS || !add_side(&bound, lhs, sign) || !add_side(&bound, rhs, -1))
    return;
  if (bound.num_quotients == 1)
    multiply_out(&bound, 0);
  if (is_negatable(&bound))
    mask->bounds[mask->count++] = bound;
}

/* lhs - rhs + distance <= 0. An absolute value is the larger one of two; the least number of few bits has none. */
static void add_bound(mask *mask, ir_op *op, ir_value *lhs, ir_value *rhs, int64_t distance) {
  const ir_op *from = ir_made_by(lhs, OP_MATH_ABSI);
  if (!from) {
    add_difference(mask, op, lhs, 1, rhs, distance);
  } else if (ir_scalar_bits(lhs->type->element) == 64) {
    add_difference(mask, op, ir_operand(from, 0), 1, rhs, distance);
    add_difference(mask, op, ir_operand(from, 0), -1, rhs, distance);
  }
}

/* The comparison gives `wanted`. Comparing as unsigned numbers is the same where neither side is negative. */
static void add_comparison(mask *mask, ir_op *op, const ir_op *compare, bool wanted) {
  ir_predicate given = ir_predicate_of(compare), predicate = ir_predicate_signed(given);
  ir_value *lhs = ir_operand(compare, 0), *rhs = ir_operand(compare, 1);
  if (predicate != given) {
    unsigned steps = MAX_STEPS;
    mask_bound bound = {.op = op, .takes_near = mask->takes_near};
    if (!is_natural(&bound, lhs, &steps) || !is_natural(&bound, rhs, &steps))
      return;
  }
  if (!wanted)
    predicate = ir_predicate_opposite(predicate);
  if (predicate == IR_SIGNED_LESS || predicate == IR_SIGNED_LESS_EQUAL || predicate == IR_EQUAL)
    add_bound(mask, op, lhs, rhs, predicate == IR_SIGNED_LESS);
  if (predicate == IR_SIGNED_GREATER || predicate == IR_SIGNED_GREATER_EQUAL || predicate == IR_EQUAL)
    add_bound(mask, op, rhs, lhs, predicate == IR_SIGNED_GREATER);
}

mask_join mask_join_of(const ir_op *condition, bool *wanted) {
  ir_cell flipped;
  if (condition->code == OP_ARITH_XORI && ir_value_splat(ir_operand(condition, 1), &flipped)) {
    *wanted = *wanted == !flipped.i;
    return MASK_FIRST;
  }
  if (condition->code != OP_ARITH_ANDI && condition->code != OP_ARITH_ORI)
    return MASK_ALONE;
  return (condition->code == OP_ARITH_ANDI) == *wanted ? MASK_BOTH : MASK_EITHER;
}

static void add_condition(mask *mask, ir_op *op, const ir_value *condition, bool wanted, unsigned *steps) {
  const ir_op *from = condition->op;
  if (!from || !*steps || !--*steps)
    return;
  mask_join join = mask_join_of(from, &wanted);
  if (from->code == OP_ARITH_CMPI)
    add_comparison(mask, op, from, wanted);
  else if (join == MASK_FIRST || join == MASK_BOTH)
    for (unsigned i = 0; i < (join == MASK_BOTH ? 2 : 1); i++)
      add_condition(mask, op, ir_operand(from, i), wanted, steps);
}

void mask_add(mask *mask, ir_op *op, const ir_value *condition, bool wanted) {
  unsigned steps = MAX_STEPS;
  add_condition(mask, op, condition, wanted, &steps);
}

bool mask_add_least(mask *mask, ir_op *op, ir_value *index, int64_t least) {
  const ir_op *minimum = ir_made_by(index, OP_AFFINE_MIN);
  const ir_map *map = minimum ? ir_affine_map(minimum) : NULL;
  for (unsigned i = 0; i < (map ? map->num_results : 1); i++) {
    mask_bound bound = {.op = op, .constant = least};
    unsigned steps = MAX_STEPS;
    if (mask->count == MASK_MAX_BOUNDS ||
        !(map ? add_expr(&bound, minimum, map->results[i], -1, &steps) : add_value(&bound, index, -1, &steps)) ||
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

bool mask_keeps_hidden(const ir_value *factor) {
  ir_cell cell;
  return ir_value_splat(factor, &cell) && cell.f > 0;
}

/* --------------------------------------------------------------------------------------------------- for some loops */

bool mask_rename(mask_bound *bound, ir_op *op, unsigned count, const int *to) {
  int64_t steps[IR_MAX_LOOPS] = {0};
  bound->op = op;
  for (unsigned k = 0; k < count; k++)
    if (bound->steps[k] && (to[k] < 0 || !add_product(&steps[to[k]], bound->steps[k], 1)))
      return false;
  memcpy(bound->steps, steps, sizeof steps);
  for (unsigned i = 0; i < bound->num_quotients; i++)
    if (!mask_rename(own_dividend(bound, i), op, count, to))
      return false;
  return true;
}

bool mask_settle(mask_bound *bound, int sign) {
  int64_t end = 0;
  if (!add_product(&end, sign > 0 ? bound->least : bound->most, sign) || !add_least_steps(bound, sign, &end) ||
      !add_product(&bound->constant, end, sign))
    return false;
  for (unsigned i = 0; i < bound->num_quotients; i++)
    if (!mask_settle(own_dividend(bound, i), bound->quotients[i].factor > 0 ? sign : -sign))
      return false;
  return true;
}

/* What the bound says depends on the loop, if there is one, or on values of the block, if there is one. */
static bool depends(const mask_bound *bound, const ir_block *block, int loop) {
  bool found = loop >= 0 && bound->steps[loop];
  for (unsigned i = 0; block && i < bound->count; i++)
    found |= !ir_value_is_outside(bound->values[i], block);
  for (unsigned i = 0; i < bound->num_quotients; i++)
    found |= depends(bound->quotients[i].dividend, block, loop);
  return found;
}

/* Multiplies out what divides something that depends on them. */
static bool undivide(mask_bound *bound, const ir_block *block, int loop) {
  for (unsigned i = 0; i < bound->num_quotients;) {
    if (!depends(bound->quotients[i].dividend, block, loop))
      i++;
    else if (!multiply_out(bound, i))
      return false;
    else
      i = 0;
  }
  return true;
}

bool mask_undivide(mask_bound *bound, unsigned loop) { return undivide(bound, NULL, (int)loop); }

/* -------------------------------------------------------------------------------------------------- as index values */

/* The integer may be any, not just a place: it comes from memory or from who calls, or nothing is known of it. */
static bool may_be_any(ir_value *value) {
  const ir_op *op = value->op;
  if (!op)
    return value->block->parent->code == OP_FUNC_FUNC;
  ir_index index = {.value = value};
  return op->code != OP_TENSOR_DIM && op->code != OP_MEMREF_DIM &&
         (ir_index_least(index) == INT64_MIN || ir_index_most(index) == INT64_MAX) && op->code != OP_AFFINE_APPLY &&
         op->code != OP_AFFINE_MIN && op->code != OP_AFFINE_MAX;
}

/* An integer as an index. One that is larger than any index is compared like FAR, which sums of indices stay below, and
 * which can be multiplied by the extents of a tile. */
static ir_index as_index(ir_builder *builder, ir_value *value) {
  const ir_type *type = ir_type_index(builder->module);
  bool is_wide = ir_scalar_bits(value->type->element) == 64, any = is_wide && may_be_any(value);
  ir_index index = ir_index_of(value->type == type ? value : ir_unary(builder, OP_ARITH_INDEX_CAST, value, type));
  return any ? ir_index_max(builder, ir_index_min(builder, index, ir_index_const(FAR)), ir_index_const(-FAR)) : index;
}

ir_index mask_outer(ir_builder *builder, const mask_bound *bound) {
  ir_index sum = ir_index_const(bound->constant);
  for (unsigned i = 0; i < bound->count; i++)
    if (bound->coefficients[i])
      sum = ir_index_add(builder, sum,
                         ir_index_scale(builder, as_index(builder, bound->values[i]), bound->coefficients[i]));
  return sum;
}

/* The same with what quotients add, where their dividends are what they are without what loops add. */
static ir_index left_side(ir_builder *builder, const mask_bound *bound) {
  ir_index sum = mask_outer(builder, bound);
  for (unsigned i = 0; i < bound->num_quotients; i++) {
    const mask_quotient *q = &bound->quotients[i];
    ir_index quotient = ir_index_floordiv(builder, left_side(builder, q->dividend), q->divisor);
    sum = ir_index_add(builder, sum, ir_index_scale(builder, quotient, q->factor));
  }
  return sum;
}

/* All values that have to be near are, as well as `also`, which may be NULL; NULL where that says nothing. */
static ir_value *are_near(ir_builder *builder, const mask_bound *bound, ir_value *also) {
  for (unsigned i = 0; i < bound->count; i++) {
    if (!bound->near[i] || !bound->coefficients[i])
      continue;
    ir_value *index = ir_index_value(builder, as_index(builder, bound->values[i]));
    ir_value *most = ir_const_index(builder, MASK_NEAR), *least = ir_const_index(builder, -MASK_NEAR);
    ir_value *above = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS_EQUAL, least, index);
    ir_value *below = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS_EQUAL, index, most);
    ir_value *near = ir_binary(builder, OP_ARITH_ANDI, above, below);
    also = also ? ir_binary(builder, OP_ARITH_ANDI, also, near) : near;
  }
  for (unsigned i = 0; i < bound->num_quotients; i++)
    also = are_near(builder, bound->quotients[i].dividend, also);
  return also;
}

bool mask_narrow(ir_builder *builder, mask_window *window, const mask_bound *bound) {
  mask_bound others = *bound;
  int64_t slope = 0;
  if (!undivide(&others, window->counter->block, -1))
    return false;
  for (unsigned i = 0; i < others.count; i++) {
    if (others.values[i] == window->counter) {
      slope = others.coefficients[i];
      others.coefficients[i] = 0;
    } else if (!ir_value_is_outside(others.values[i], window->counter->block))
      return false;
  }
  if (!slope || others.constant == INT64_MIN)
    return false;
  ir_index room = ir_index_scale(builder, left_side(builder, &others), -1); /* slope * counter <= room */
  ir_value *near = are_near(builder, &others, NULL);
  if (near)
    room = ir_index_of(ir_select(builder, near, ir_index_value(builder, room), ir_const_index(builder, FAR)));
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

void mask_keep_below(ir_builder *builder, mask_window *window, mask_bound bound) {
  if (mask_settle(&bound, 1))
    mask_narrow(builder, window, &bound);
}
