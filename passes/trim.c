/* trim.c - pass "trim": loops with a running softmax leave out the iterations in which every score is hidden.
 *
 * A score is hidden where its expression is -infinity because a comparison of indices says so: select(k <= q, x, -inf),
 * however it is spelled and whatever else is computed. Where such a comparison, affine in the indices, fails for all
 * elements of a tile, the tile changes nothing: the weights are 0, maximum and sum stay, and so does what is
 * accumulated with them. The iterations for which that can be shown lie at the ends of the loop; its bounds
 * become minima and maxima of affine expressions. Weights that are 0 by the mask are taken to hide NaN and infinity in
 * scores and values, too.
 *
 * Invariants
 *  - A loop is touched only if an iteration without visible score gives back each carried value (unchanged_argument).
 *  - Bounds are about boxes: extents of tiles are replaced by their upper bounds, which can only trim less.
 * Terminates: one walk over the loops; traces follow use-def chains up to MAX_DEPTH. */
#include "ir/build.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/tile.h"

#include <math.h>

enum { MAX_DEPTH = 32, MAX_TERMS = 8 };

/* ------------------------------------------------------------------------------- what an iteration leaves unchanged */

/* The value through ops that only move or convert elements. */
static ir_value *moved_from(ir_value *value) {
  for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
    ir_op *op = value->op;
    if (!op || !ir_op_has(op, IR_STRUCTURED) || !tile_only_moves(op))
      return value;
    const ir_value *yielded = ir_operand(ir_block_terminator(ir_region(op, 0)), 0);
    while (yielded->op && (yielded->op->code == OP_ARITH_EXTF || yielded->op->code == OP_ARITH_TRUNCF))
      yielded = ir_operand(yielded->op, 0);
    if (yielded->op || yielded->block != ir_region(op, 0) || yielded->index >= ir_num_inputs(op))
      return value;
    value = ir_operand(op, yielded->index);
  }
  return value;
}

/* The op whose weights are all 0 in an iteration without visible score, if the value is those weights. */
static bool is_weights(ir_value *value) {
  value = moved_from(value);
  return value->op && value->op->code == OP_LINALG_EXT_SOFTMAX && !value->index;
}

/* By what the softmax scales earlier contributions: 1, but for rows that had no sum yet, whose contributions are 0. */
static bool is_scale(const ir_value *value) {
  enum { SCALE_RESULT = 3 };
  return value->op && value->op->code == OP_LINALG_EXT_SOFTMAX && value->index == SCALE_RESULT;
}

/* The contraction of diag(s) with C into zeros has C's elements in the places of its result, times s. Returns C. */
static ir_value *scaled_by_diagonal(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  ir_cell start;
  if (!ir_value_splat(ir_init(op, 0), &start) || start.f != 0)
    return NULL;
  for (unsigned side = 0; side < 2; side++) {
    const ir_op *diagonal = ir_operand(op, side)->op;
    const ir_map *map = structure->maps[side], *other = structure->maps[1 - side], *out = structure->maps[2];
    if (!diagonal || diagonal->code != OP_LINALG_EXT_DIAG || !is_scale(ir_operand(diagonal, 0)) ||
        other->num_results != out->num_results)
      continue;
    int row = ir_map_result_dim(map, map->num_results - 2), column = ir_map_result_dim(map, map->num_results - 1);
    bool same = row >= 0 && column >= 0 && structure->reductions == 1u << column;
    for (unsigned i = 0; same && i < out->num_results; i++) {
      int loop = ir_map_result_dim(other, i);
      same = loop >= 0 && (loop == column ? row : loop) == ir_map_result_dim(out, i);
    }
    if (same)
      return ir_operand(op, 1 - side);
  }
  return NULL;
}

/* An elementwise op that multiplies its output's old elements by the scale. Returns the old value. */
static ir_value *scaled_in_place(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  if (op->num_operands != 2 || structure->reductions || !ir_map_is_identity(structure->maps[1]) ||
      !is_scale(ir_operand(op, 0)))
    return NULL;
  const ir_value *value = ir_operand(ir_block_terminator(ir_region(op, 0)), 0);
  while (value->op && (value->op->code == OP_ARITH_EXTF || value->op->code == OP_ARITH_TRUNCF))
    value = ir_operand(value->op, 0);
  if (!value->op || value->op->code != OP_ARITH_MULF)
    return NULL;
  unsigned seen = 0;
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *factor = ir_operand(value->op, i);
    while (factor->op && (factor->op->code == OP_ARITH_EXTF || factor->op->code == OP_ARITH_TRUNCF))
      factor = ir_operand(factor->op, 0);
    if (factor->block == ir_region(op, 0))
      seen |= 1u << factor->index;
  }
  return seen == 3 ? ir_operand(op, 1) : NULL;
}

/* The argument of the loop's body that the value equals in an iteration without visible score; NULL if that is not
 * known. A slice that is put back where it was taken changes nothing. */
static ir_value *unchanged_argument(const ir_op *loop, ir_value *value) {
  const ir_op *insert = NULL;
  for (unsigned depth = 0; value && depth < MAX_DEPTH; depth++) {
    ir_op *op = value->op;
    if (!op)
      return value->block == ir_region(loop, 0) && !insert ? value : NULL;
    if (op->code == OP_TENSOR_INSERT_SLICE && !insert) {
      insert = op;
      value = ir_operand(op, 0);
    } else if (op->code == OP_TENSOR_EXTRACT_SLICE) {
      ir_value *whole = ir_operand(op, 0);
      value = insert && ir_operand(insert, 1) == whole && slice_equal(insert, op) ? whole : NULL;
      insert = NULL;
    } else if (!ir_op_has(op, IR_STRUCTURED))
      return NULL;
    else if (pass_op_info_of(op->code)->states >> value->index & 1)
      value = ir_init(op, value->index);
    else if (!op->num_regions || op->num_results != 1)
      return NULL;
    else if (!ir_is_contraction(op))
      value = scaled_in_place(op);
    else if (is_weights(ir_operand(op, 0)) || is_weights(ir_operand(op, 1)))
      value = ir_init(op, 0);
    else
      value = scaled_by_diagonal(op);
  }
  return NULL;
}

static bool is_neutral_without_scores(ir_op *loop) {
  ir_block *body = ir_region(loop, 0);
  for (unsigned i = 0; i < loop->num_results; i++)
    if (unchanged_argument(loop, ir_operand(ir_block_terminator(body), i)) != body->args[i + 1])
      return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------------- linear forms */

/* A sum of index values times coefficients, and what the loops of one op add: between `low` and `high`. */
typedef struct linear {
  unsigned count;
  ir_value *values[MAX_TERMS];
  int64_t coefficients[MAX_TERMS];
  int64_t low, high;
} linear;

static bool add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static bool add_constant(linear *form, int64_t constant, int64_t factor) {
  return add_product(&form->low, constant, factor) && add_product(&form->high, constant, factor);
}

static bool add_term(linear *form, ir_value *value, int64_t factor) {
  unsigned i = 0;
  while (i < form->count && form->values[i] != value)
    i++;
  if (i == MAX_TERMS)
    return false;
  if (i == form->count) {
    form->values[form->count++] = value;
    form->coefficients[i] = 0;
  }
  return !__builtin_add_overflow(form->coefficients[i], factor, &form->coefficients[i]);
}

/* The iterations of the op's loop, 0 to its extent - 1. */
static bool add_iterations(linear *form, ir_op *op, unsigned loop, int64_t factor) {
  unsigned operand, dim;
  if (!ir_loop_extent(op, loop, &operand, &dim))
    return false;
  const ir_type *type = ir_operand(op, operand)->type;
  int64_t bound = type->shape[dim];
  if (bound == IR_DYNAMIC) {
    extent traced = extent_of(ir_operand(op, operand), dim);
    if (traced.value && ir_type_is_shaped(traced.value->type))
      return false;
    bound = extent_bound((ir_index){.value = traced.value, .constant = traced.constant});
  }
  return bound > 0 && bound != INT64_MAX && add_product(factor < 0 ? &form->low : &form->high, factor, bound - 1);
}

/* Adds factor * value, an index as the body of `op` sees it. False where that is no linear form. */
static bool add_value(linear *form, ir_op *op, ir_value *value, int64_t factor, unsigned depth);

static bool add_expr(linear *form, ir_op *op, const ir_op *apply, const ir_expr *expr, int64_t factor, unsigned depth) {
  const ir_map *map = ir_attr_get(apply, "map")->map;
  if (depth == MAX_DEPTH)
    return false;
  switch (expr->kind) {
  case IR_EXPR_CONST: return add_constant(form, expr->value, factor);
  case IR_EXPR_DIM: return add_value(form, op, ir_operand(apply, (unsigned)expr->value), factor, depth + 1);
  case IR_EXPR_SYM:
    return add_value(form, op, ir_operand(apply, map->num_dims + (unsigned)expr->value), factor, depth + 1);
  case IR_EXPR_ADD:
    return add_expr(form, op, apply, expr->lhs, factor, depth + 1) &&
           add_expr(form, op, apply, expr->rhs, factor, depth + 1);
  case IR_EXPR_MUL:
    return expr->rhs->kind == IR_EXPR_CONST && !__builtin_mul_overflow(factor, expr->rhs->value, &factor) &&
           add_expr(form, op, apply, expr->lhs, factor, depth + 1);
  default: return false;
  }
}

static bool add_value(linear *form, ir_op *op, ir_value *value, int64_t factor, unsigned depth) {
  const ir_attr *constant;
  if (depth == MAX_DEPTH)
    return false;
  if (ir_value_constant(value, &constant))
    return add_constant(form, constant->value, factor);
  ir_op *from = value->op;
  switch (from ? from->code : IR_NUM_OPCODES) {
  case OP_LINALG_INDEX: return add_iterations(form, op, (unsigned)ir_attr_int_or(from, "dim", 0), factor);
  case OP_AFFINE_APPLY:
    return add_expr(form, op, from, ir_attr_get(from, "map")->map->results[0], factor, depth + 1);
  case OP_ARITH_ADDI:
    return add_value(form, op, ir_operand(from, 0), factor, depth + 1) &&
           add_value(form, op, ir_operand(from, 1), factor, depth + 1);
  case OP_ARITH_SUBI:
    return factor != INT64_MIN && add_value(form, op, ir_operand(from, 0), factor, depth + 1) &&
           add_value(form, op, ir_operand(from, 1), -factor, depth + 1);
  case OP_ARITH_INDEX_CAST:
    return ir_scalar_bits(ir_operand(from, 0)->type->element) == 64 && ir_scalar_bits(value->type->element) == 64 &&
           add_value(form, op, ir_operand(from, 0), factor, depth + 1);
  default: return value->type->element == IR_INDEX && add_term(form, value, factor);
  }
}

/* ----------------------------------------------------------------------------------------------------------- bounds */

/* A loop whose bounds are being trimmed. */
typedef struct window {
  ir_op *loop;
  ir_builder builder; /* before the loop */
  ir_index lower, upper;
  int64_t step;
} window;

static ir_index scaled(ir_builder *builder, ir_index x, int64_t factor) {
  ir_module *module = builder->module;
  const ir_expr *expr = ir_expr_binary(module, IR_EXPR_MUL, ir_expr_dim(module, 0), ir_expr_const(module, factor));
  return ir_index_apply(builder, expr, 1, &x);
}

/* floor(x / divisor) */
static ir_index quotient(ir_builder *builder, ir_index x, int64_t divisor) {
  ir_module *module = builder->module;
  const ir_expr *expr =
      ir_expr_binary(module, IR_EXPR_FLOORDIV, ir_expr_dim(module, 0), ir_expr_const(module, divisor));
  return ir_index_apply(builder, expr, 1, &x);
}

/* Scores are visible only where lhs - rhs + distance <= 0: keeps the iterations in which the least value that this has
 * in a tile allows it. */
static void keep_below(window *w, ir_op *op, ir_value *lhs, ir_value *rhs, int64_t distance) {
  linear form = {.count = 0};
  ir_value *induction = ir_region(w->loop, 0)->args[0];
  if (!add_value(&form, op, lhs, 1, 0) || !add_value(&form, op, rhs, -1, 0) || !add_constant(&form, distance, 1))
    return;
  int64_t slope = 0;
  for (unsigned i = 0; i < form.count; i++) {
    if (form.values[i] == induction)
      slope = form.coefficients[i];
    else if (!ir_value_is_outside(form.values[i], ir_region(w->loop, 0)) || form.coefficients[i] == INT64_MIN)
      return;
  }
  if (!slope || slope == INT64_MIN || form.low == INT64_MIN)
    return;
  ir_builder *builder = &w->builder;
  ir_index room = ir_index_const(-form.low); /* slope * induction <= room */
  for (unsigned i = 0; i < form.count; i++)
    if (form.values[i] != induction)
      room = ir_index_sub(builder, room, scaled(builder, ir_index_of(form.values[i]), form.coefficients[i]));
  if (slope > 0) {
    ir_index last = quotient(builder, room, slope);
    w->upper = ir_index_min(builder, w->upper, ir_index_add(builder, last, ir_index_const(1)));
    return;
  }
  /* induction >= -floor(room / -slope): whole steps before that are left out */
  ir_index first = scaled(builder, quotient(builder, room, -slope), -1);
  ir_index steps = quotient(builder, ir_index_sub(builder, first, w->lower), w->step);
  ir_index left_out = ir_index_max(builder, steps, ir_index_const(0));
  w->lower = ir_index_add(builder, w->lower, scaled(builder, left_out, w->step));
}

/* Scores are visible only where the comparison gives `wanted`. Predicates stand as their numbers in MLIR's order. */
static void keep_compared(window *w, ir_op *op, const ir_op *compare, bool wanted) {
  enum { EQ, NE, SLT, SLE, SGT, SGE };
  static const int inverse[] = {[EQ] = NE, [NE] = EQ, [SLT] = SGE, [SLE] = SGT, [SGT] = SLE, [SGE] = SLT};
  int64_t predicate = ir_attr_int_or(compare, "predicate", NE);
  ir_value *lhs = ir_operand(compare, 0), *rhs = ir_operand(compare, 1);
  if (predicate > SGE)
    return;
  if (!wanted)
    predicate = inverse[predicate];
  if (predicate == SLT || predicate == SLE || predicate == EQ)
    keep_below(w, op, lhs, rhs, predicate == SLT);
  if (predicate == SGT || predicate == SGE || predicate == EQ)
    keep_below(w, op, rhs, lhs, predicate == SGT);
}

/* Scores are visible only where the condition is `wanted`. */
static void keep_where(window *w, ir_op *op, const ir_value *condition, bool wanted, unsigned depth) {
  const ir_op *from = condition->op;
  if (!from || depth == MAX_DEPTH)
    return;
  ir_cell mask;
  if (from->code == OP_ARITH_CMPI)
    keep_compared(w, op, from, wanted);
  else if (from->code == (wanted ? OP_ARITH_ANDI : OP_ARITH_ORI))
    for (unsigned i = 0; i < 2; i++)
      keep_where(w, op, ir_operand(from, i), wanted, depth + 1);
  else if (from->code == OP_ARITH_XORI && ir_value_splat(ir_operand(from, 1), &mask))
    keep_where(w, op, ir_operand(from, 0), wanted == !mask.i, depth + 1);
}

static bool is_minus_infinity(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && ir_scalar_is_float(value->type->element) && cell.f == -INFINITY;
}

static bool is_positive(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && cell.f > 0;
}

static bool is_elementwise_tile(const ir_op *op, const ir_block *block) {
  return op->block == block && ir_op_has(op, IR_STRUCTURED) && op->num_regions && !ir_structure_of(op)->reductions;
}

static ir_value *yielded(const ir_op *op, unsigned result) {
  return ir_operand(ir_block_terminator(ir_region(op, 0)), result);
}

/* Keeps the iterations in which the value, computed by the body of `op`, is not -infinity in the whole tile. */
static void keep_visible(window *w, ir_op *op, ir_value *value, unsigned depth) {
  const ir_block *body = ir_region(op, 0);
  if (depth == MAX_DEPTH)
    return;
  if (!value->op && value->block == body) {
    const ir_value *input = ir_operand(op, value->index);
    ir_op *producer = input->op;
    if (producer && value->index < ir_num_inputs(op) && is_elementwise_tile(producer, op->block))
      keep_visible(w, producer, yielded(producer, input->index), depth + 1);
    return;
  }
  const ir_op *from = value->op;
  switch (from ? from->code : IR_NUM_OPCODES) {
  case OP_ARITH_SELECT:
    for (unsigned i = 1; i <= 2; i++)
      if (is_minus_infinity(ir_operand(from, 3 - i))) {
        keep_where(w, op, ir_operand(from, 0), i == 1, depth + 1);
        keep_visible(w, op, ir_operand(from, i), depth + 1);
      }
    return;
  case OP_ARITH_ADDF: keep_visible(w, op, ir_operand(from, 1), depth + 1); /* fall through */
  case OP_ARITH_SUBF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF: keep_visible(w, op, ir_operand(from, 0), depth + 1); return;
  case OP_ARITH_MULF:
    for (unsigned i = 0; i < 2; i++)
      if (is_positive(ir_operand(from, 1 - i)))
        keep_visible(w, op, ir_operand(from, i), depth + 1);
    return;
  default: return;
  }
}

/* ------------------------------------------------------------------------------------------------------------- pass */

/* The one softmax of the loop's body; NULL if there is none, or more. */
static ir_op *only_softmax(const ir_op *loop) {
  ir_op *found = NULL;
  for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next)
    if (pass_op_info_of(op->code)->states) {
      if (found)
        return NULL;
      found = op;
    }
  return found;
}

static void trim_loop(ir_op *loop) {
  ir_op *softmax = only_softmax(loop);
  ir_index step = ir_index_of(ir_operand(loop, 2));
  if (!softmax || step.value || !is_neutral_without_scores(loop))
    return;
  ir_value *scores = moved_from(ir_operand(softmax, 0));
  ir_op *op = scores->op;
  if (!op || !is_elementwise_tile(op, softmax->block))
    return;
  window w = {.loop = loop,
              .builder = ir_builder_before(loop),
              .lower = ir_index_of(ir_operand(loop, 0)),
              .upper = ir_index_of(ir_operand(loop, 1)),
              .step = step.constant};
  keep_visible(&w, op, yielded(op, scores->index), 0);
  ir_set_operand(loop, 0, ir_index_value(&w.builder, w.lower));
  ir_set_operand(loop, 1, ir_index_value(&w.builder, w.upper));
}

static bool visit(ir_op *op, void *data) {
  (void)data;
  if (op->code == OP_SCF_FOR)
    trim_loop(op);
  return true;
}

bool pass_trim(ir_module *module, const pass_options *options) {
  (void)options;
  return ir_walk(ir_region(module->root, 0), visit, NULL);
}
