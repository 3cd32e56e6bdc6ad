/* statistics.c - what the program computes of scores and a softmax of the same scores has as its statistics.
 *
 * Where m and s are the maximum of a row of x and the sum of e^(x - m), which the softmax keeps,
 *
 *     max x = m, or what the reduction started from in a row that is -infinity everywhere, where s is 0
 *     sum e^(x - c) = s e^(m - c), and e^(m - c) where m is +infinity, so that s is NaN
 *
 * whatever c is, as long as it is the same all along the row: the maximum, nothing, or what some spelling of a
 * log-sum-exp makes finite first. So a log-sum-exp beside attention needs no second walk over the scores.
 *
 * A sink is one more score that m and s have seen. So they stand for the maximum of the reduction and the sink, and for
 * the sum with e^(sink - c); what the reductions give by themselves cannot be told from them. As c may be such, namely
 * the maximum without the sink, log(sum) + c is looked for as a whole: it is log s + m.
 * Terminates: two walks over the block and its bodies; `bring_before` has a limit of steps. */
#include "passes/body.h"
#include "passes/expression.h"
#include "passes/extent.h"
#include "passes/recast.h"
#include "passes/softmax.h"

#include <math.h>

enum { MAX_STEPS = 64 }; /* ops moved for one reduction */

/* The op, and what it needs of those behind `place`, moves before that. False where something cannot. */
static bool bring_before(ir_op *op, ir_op *place, unsigned *steps) {
  if (op->block != place->block || ir_op_is_before(op, place))
    return true;
  bool tensors = ir_op_has(op, IR_STRUCTURED) && !ir_op_touches(op, IR_TYPE_MEMREF);
  if (op == place || !*steps || !--*steps || !(tensors || (ir_op_has(op, IR_PURE) && !op->num_regions)))
    return false;
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner))
    for (unsigned i = 0; i < inner->num_operands; i++)
      if (ir_operand(inner, i)->op && !bring_before(ir_operand(inner, i)->op, place, steps))
        return false;
  ir_op_move_before(op, place);
  return true;
}

/* A generic over rows, of the running maximum and sum and, unless that is NULL, something third; without its body. */
static ir_op *row_generic(ir_builder *builder, const ir_op *softmax, ir_value *third, ir_value **max, ir_value **sum) {
  ir_value *ins[] = {ir_result(softmax, SOFTMAX_MAX), ir_result(softmax, SOFTMAX_SUM), third};
  ir_value *out = pass_empty_like(builder, ins[0], ins[0]->type->element);
  ir_op *generic = body_by_element(builder, third ? 3 : 2, ins, out);
  *max = body_argument(generic, 0);
  *sum = body_argument(generic, 1);
  return generic;
}

/* max x of a reduction that started from `start`. */
static ir_value *create_maximum(ir_builder *builder, const ir_op *softmax, double start) {
  ir_value *max, *sum;
  ir_op *generic = row_generic(builder, softmax, NULL, &max, &sum);
  ir_builder body = body_of(generic);
  ir_value *empty = ir_compare(&body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, sum, ir_const(&body, sum->type, 0));
  return body_finish(&body, generic, ir_select(&body, empty, ir_const(&body, max->type, start), max));
}

/* The sum of e^(x - shift). */
static ir_value *create_sum(ir_builder *builder, const ir_op *softmax, ir_value *shift) {
  ir_value *max, *sum;
  ir_op *generic = row_generic(builder, softmax, shift, &max, &sum);
  ir_builder body = body_of(generic);
  ir_value *difference = shift ? ir_binary(&body, OP_ARITH_SUBF, max, body_argument(generic, 2)) : max;
  ir_value *power = ir_unary(&body, OP_MATH_EXP, difference, max->type);
  ir_value *infinite = ir_compare(&body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, max, ir_const(&body, max->type, INFINITY));
  ir_value *product = ir_binary(&body, OP_ARITH_MULF, sum, power);
  return body_finish(&body, generic, ir_select(&body, infinite, power, product));
}

/* log s + m, the logarithm of the sum of all e^x. */
static ir_value *create_logarithm(ir_builder *builder, const ir_op *softmax) {
  ir_value *max, *sum;
  ir_op *generic = row_generic(builder, softmax, NULL, &max, &sum);
  ir_builder body = body_of(generic);
  ir_value *logarithm = ir_unary(&body, OP_MATH_LOG, sum, sum->type);
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_ADDF, logarithm, max));
}

/* --------------------------------------------------------------------------------------------------------- matching */

/* What is looked for, as expressions over the loops of the softmax. */
typedef struct statistics {
  expression_space *space;
  ir_op *softmax;
  int dim;
  const expression *x, *sink; /* sink: NULL where the softmax starts empty */
} statistics;

static bool is_reduction(const statistics *s, const expression *node, ir_opcode code) {
  return node->kind == EXPRESSION_REDUCE && node->code == code && node->loop == s->dim;
}

static statistics of_scores_alone(const statistics *s) {
  statistics scores = *s;
  scores.sink = NULL;
  return scores;
}

/* The maximum of x, and of the sink. */
static bool is_maximum(const statistics *s, const expression *node) {
  if (!s->sink)
    return is_reduction(s, node, OP_ARITH_MAXIMUMF) && node->arguments[0] == s->x;
  statistics scores = of_scores_alone(s);
  bool larger = expression_is_op(node, OP_ARITH_MAXIMUMF) || expression_is_op(node, OP_ARITH_MAXNUMF);
  for (unsigned side = 0; larger && side < 2; side++)
    if (node->arguments[1 - side] == s->sink && is_maximum(&scores, node->arguments[side]))
      return true;
  return false;
}

/* x - *shift is the exponent; *shift is NULL where it is x. */
static bool split_exponent(const expression *exponent, const expression *x, int dim, const expression **shift) {
  bool difference = expression_is_op(exponent, OP_ARITH_SUBF) && exponent->arguments[0] == x;
  *shift = difference ? exponent->arguments[1] : NULL;
  return exponent == x || (difference && !expression_depends(*shift, dim));
}

/* The sum of e^(x - *shift), and of e^(sink - *shift). */
static bool is_sum(const statistics *s, const expression *node, const expression **shift) {
  if (!s->sink) {
    const expression *element = is_reduction(s, node, OP_ARITH_ADDF) ? node->arguments[0] : NULL;
    return element && expression_is_op(element, OP_MATH_EXP) &&
           split_exponent(element->arguments[0], s->x, s->dim, shift);
  }
  statistics scores = of_scores_alone(s);
  for (unsigned side = 0; expression_is_op(node, OP_ARITH_ADDF) && side < 2; side++) {
    const expression *extra = node->arguments[1 - side];
    if (is_sum(&scores, node->arguments[side], shift))
      return expression_is_op(extra, OP_MATH_EXP) &&
             softmax_unshifted(s->space, extra->arguments[0], *shift) == s->sink;
  }
  return false;
}

/* The logarithm of such a sum, and what was subtracted. */
static bool is_logarithm(const statistics *s, const expression *node) {
  for (unsigned side = 0; expression_is_op(node, OP_ARITH_ADDF) && side < 2; side++) {
    const expression *logarithm = node->arguments[side], *shift;
    if (expression_is_op(logarithm, OP_MATH_LOG) && is_sum(s, logarithm->arguments[0], &shift))
      return node->arguments[1 - side] == shift;
  }
  return false;
}

const expression *softmax_unshifted(expression_space *space, const expression *extra, const expression *shift) {
  if (!shift)
    return extra;
  if (expression_is_op(extra, OP_ARITH_SUBF) && extra->arguments[1] == shift)
    return extra->arguments[0];
  bool negated = expression_is_op(extra, OP_ARITH_NEGF) && extra->arguments[0] == shift;
  return negated ? expression_constant(space, shift->type, 0) : NULL;
}

/* False where there is nothing to look for: the softmax continues some other state than that of a sink. */
static bool begin(statistics *s, ir_op *softmax, expression_space *space) {
  ir_cell sum;
  *s = (statistics){.space = space, .softmax = softmax, .dim = (int)ir_attr_int_or(softmax, "dimension", 0)};
  expression_begin(space, softmax);
  s->x = expression_of_element(space, ir_input(softmax, 0), -1);
  if (softmax_starts_empty(softmax))
    return s->x != NULL;
  s->sink = expression_of_element(space, ir_init(softmax, SOFTMAX_MAX), s->dim);
  return s->x && s->sink && ir_value_splat(ir_init(softmax, SOFTMAX_SUM), &sum) && sum.f == 1;
}

/* The sum of e^(x - shift), at the builder's place; NULL where the shift cannot be had as a tensor. */
static ir_value *shifted_sum(const statistics *s, const expression *shift, ir_builder *builder) {
  if (shift && is_maximum(s, shift))
    return ir_result(s->softmax, SOFTMAX_SUM);
  ir_value *tensor = shift ? expression_materialize(s->space, builder, shift, s->dim) : NULL;
  return shift && (!tensor || tensor->type != ir_result(s->softmax, SOFTMAX_SUM)->type)
             ? NULL
             : create_sum(builder, s->softmax, tensor);
}

ir_value *softmax_shifted_sum(ir_op *softmax, expression_space *space, const expression *x, const expression *shift,
                              ir_builder *builder) {
  int dim = (int)ir_attr_int_or(softmax, "dimension", 0);
  return shifted_sum(&(statistics){.space = space, .softmax = softmax, .dim = dim, .x = x}, shift, builder);
}

/* The same as `node`, of the statistics, before `op`, which computes it. A maximum started from `start`. NULL where it
 * is something else. */
static ir_value *from_statistics(const statistics *s, ir_op *op, const expression *node, const double *start) {
  const expression *shift = NULL;
  unsigned steps = MAX_STEPS;
  bool maximum = is_maximum(s, node), logarithm = s->sink && is_logarithm(s, node);
  if (!(maximum || logarithm || is_sum(s, node, &shift)) || !bring_before(s->softmax, op, &steps))
    return NULL;
  ir_builder builder = ir_builder_before(op);
  if (logarithm)
    return create_logarithm(&builder, s->softmax);
  if (maximum)
    return start ? create_maximum(&builder, s->softmax, *start) : NULL;
  return shifted_sum(s, shift, &builder);
}

/* --------------------------------------------------------------------------------------------------------- sharing */

/* Takes the op's results from the statistics, where it is a reduction that combines by ADDF or not. */
static bool share_reduction(ir_op *op, bool sums, ir_op *softmax, expression_space *space) {
  bool changed = false;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(op, i), *made = NULL;
    const ir_op *combine = ir_yielded(op, i)->op;
    ir_cell start;
    statistics s;
    if (ir_value_unused(result) || result->type != ir_result(softmax, SOFTMAX_MAX)->type || !combine ||
        (combine->code == OP_ARITH_ADDF) != sums || !begin(&s, softmax, space))
      continue;
    const expression *node = expression_of_element(space, result, s.dim);
    if (node)
      made = from_statistics(&s, op, node, ir_value_splat(ir_init(op, i), &start) ? &start.f : NULL);
    if (made)
      ir_replace_uses(result, made);
    changed |= made != NULL;
  }
  return changed;
}

/* With a sink they are made of a reduction and of the sink, in the body of an op over rows: takes the most of what such
 * an op computes that can be from the statistics. A row without any score, nor a sink, has the maximum -infinity. */
static bool share_inner(ir_op *op, bool sums, ir_op *softmax, expression_space *space) {
  const double start = -INFINITY;
  const ir_type *rows = ir_result(softmax, SOFTMAX_MAX)->type;
  statistics s;
  if (!body_is_elementwise(op) || op->num_results != 1 || op->num_operands >= RECAST_MAX_OPERANDS ||
      ir_value_unused(ir_result(op, 0)) || !ir_map_is_identity(ir_init_map(op, 0)) ||
      ir_type_with_element(op->module, ir_result(op, 0)->type, rows->element) != rows || !begin(&s, softmax, space))
    return false;
  for (ir_op *inner = ir_region(op, 0)->last->prev; inner; inner = inner->prev) {
    if (inner->num_results != 1 || (inner->code == OP_ARITH_ADDF) != sums ||
        ir_result(inner, 0)->type->element != rows->element)
      continue;
    const expression *node = expression_of_inner(space, op, ir_result(inner, 0), s.dim);
    ir_value *made = node ? from_statistics(&s, op, node, &start) : NULL;
    if (!made)
      continue;
    recast_read_scalar(op, ir_result(inner, 0), made);
    return true;
  }
  return false;
}

/* Takes all sums, or maxima; in bodies from the end, as a sum is not asked for where what is made of it was found. */
static bool share(ir_op *softmax, bool sums, expression_space *space) {
  bool changed = false, empty = softmax_starts_empty(softmax);
  for (ir_op *op = softmax->block->first; empty && op; op = op->next)
    if (ir_op_has(op, IR_STRUCTURED) && op->num_regions && ir_structure_of(op)->reductions)
      changed |= share_reduction(op, sums, softmax, space);
  for (ir_op *op = softmax->block->last, *previous; !empty && op; op = previous) {
    previous = op->prev;
    changed |= share_inner(op, sums, softmax, space);
  }
  return changed;
}

/* Sums come first, as they may be relative to the maximum. */
bool softmax_share_statistics(ir_op *softmax, expression_space *space) {
  bool sums = share(softmax, true, space);
  return share(softmax, false, space) || sums;
}
