/* statistics.c - reductions of scores that a softmax of the same scores has as its statistics.
 *
 * Where m and s are the maximum of a row of x and the sum of e^(x - m), which the softmax keeps,
 *
 *     max x = m, or what the reduction started from in a row that is -infinity everywhere, where s is 0
 *     sum e^(x - c) = s e^(m - c), and e^(m - c) where m is +infinity, so that s is NaN
 *
 * whatever c is, as long as it is the same all along the row: the maximum, nothing, or what some spelling of a
 * log-sum-exp makes finite first. So a log-sum-exp beside attention needs no second walk over the scores.
 * Terminates: one walk over the block, twice; `bring_before` has a limit of steps. */
#include "passes/body.h"
#include "passes/expression.h"
#include "passes/extent.h"
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
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->op && !bring_before(ir_operand(op, i)->op, place, steps))
      return false;
  ir_op_move_before(op, place);
  return true;
}

/* A generic over rows, without its body. */
static ir_op *row_generic(ir_builder *builder, unsigned num_ins, ir_value *const *ins) {
  const ir_map *identity = ir_map_identity(builder->module, ins[0]->type->rank);
  const ir_map *maps[] = {identity, identity, identity, identity};
  ir_value *out = pass_empty_like(builder, ins[0], ins[0]->type->element);
  return ir_generic(builder, num_ins, ins, 1, &out, maps, identity->num_dims, 0);
}

/* max x of a reduction that started from `start`. */
static ir_value *create_maximum(ir_builder *builder, const ir_op *softmax, double start) {
  ir_value *ins[] = {ir_result(softmax, SOFTMAX_MAX), ir_result(softmax, SOFTMAX_SUM)};
  ir_op *generic = row_generic(builder, 2, ins);
  ir_builder body = body_of(generic);
  ir_value *max = body_argument(generic, 0), *sum = body_argument(generic, 1);
  ir_value *empty = ir_compare(&body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, sum, ir_const(&body, sum->type, 0));
  return body_finish(&body, generic, ir_select(&body, empty, ir_const(&body, max->type, start), max));
}

/* The sum of e^(x - shift). */
static ir_value *create_sum(ir_builder *builder, const ir_op *softmax, ir_value *shift) {
  ir_value *ins[] = {ir_result(softmax, SOFTMAX_MAX), ir_result(softmax, SOFTMAX_SUM), shift};
  ir_op *generic = row_generic(builder, shift ? 3 : 2, ins);
  ir_builder body = body_of(generic);
  ir_value *max = body_argument(generic, 0), *sum = body_argument(generic, 1);
  ir_value *difference = shift ? ir_binary(&body, OP_ARITH_SUBF, max, body_argument(generic, 2)) : max;
  ir_value *power = ir_unary(&body, OP_MATH_EXP, difference, max->type);
  ir_value *infinite = ir_compare(&body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, max, ir_const(&body, max->type, INFINITY));
  ir_value *product = ir_binary(&body, OP_ARITH_MULF, sum, power);
  return body_finish(&body, generic, ir_select(&body, infinite, power, product));
}

/* x - *shift is the exponent; *shift is NULL where it is x. */
static bool split_exponent(const expression *exponent, const expression *x, int dim, const expression **shift) {
  bool difference = exponent->kind == EXPRESSION_OP && exponent->code == OP_ARITH_SUBF && exponent->arguments[0] == x;
  *shift = difference ? exponent->arguments[1] : NULL;
  return exponent == x || (difference && !expression_depends(*shift, dim));
}

/* The same as the reduction's result, of the statistics; NULL where it is something else. */
static ir_value *from_statistics(ir_op *reduction, ir_value *result, ir_op *softmax, expression_space *space) {
  int dim = (int)ir_attr_int_or(softmax, "dimension", 0);
  expression_begin(space, softmax);
  const expression *x = expression_of_element(space, ir_input(softmax, 0), -1);
  const expression *node = x ? expression_of_element(space, result, dim) : NULL, *shift = NULL;
  if (!node || node->kind != EXPRESSION_REDUCE || node->loop != dim)
    return NULL;
  const expression *element = node->arguments[0];
  unsigned steps = MAX_STEPS;
  bool is_max = node->code == OP_ARITH_MAXIMUMF && element == x;
  bool is_sum = node->code == OP_ARITH_ADDF && element->kind == EXPRESSION_OP && element->code == OP_MATH_EXP &&
                split_exponent(element->arguments[0], x, dim, &shift);
  if (!(is_max || is_sum) || !bring_before(softmax, reduction, &steps))
    return NULL;
  ir_builder builder = ir_builder_before(reduction);
  ir_cell start;
  if (is_max)
    return ir_value_splat(ir_init(reduction, result->index), &start) ? create_maximum(&builder, softmax, start.f)
                                                                     : NULL;
  if (shift && shift->kind == EXPRESSION_REDUCE && shift->code == OP_ARITH_MAXIMUMF && shift->arguments[0] == x)
    return ir_result(softmax, SOFTMAX_SUM);
  ir_value *tensor = shift ? expression_materialize(space, &builder, shift, dim) : NULL;
  return shift && (!tensor || tensor->type != ir_result(softmax, SOFTMAX_SUM)->type)
             ? NULL
             : create_sum(&builder, softmax, tensor);
}

/* Takes all reductions of that kind from the statistics. */
static bool share(ir_op *softmax, ir_opcode kind, expression_space *space) {
  bool changed = false;
  for (ir_op *op = softmax->block->first; op; op = op->next) {
    if (!ir_op_has(op, IR_STRUCTURED) || !op->num_regions || !ir_structure_of(op)->reductions ||
        op->code == softmax->code)
      continue;
    for (unsigned i = 0; i < op->num_results; i++) {
      ir_value *result = ir_result(op, i), *made = NULL;
      const ir_op *combine = ir_yielded(op, i)->op;
      if (!ir_value_unused(result) && result->type == ir_result(softmax, SOFTMAX_MAX)->type && combine &&
          (combine->code == OP_ARITH_ADDF) == (kind == OP_ARITH_ADDF))
        made = from_statistics(op, result, softmax, space);
      if (made)
        ir_replace_uses(result, made);
      changed |= made != NULL;
    }
  }
  return changed;
}

/* Sums come first, as they may be relative to the maximum. */
bool softmax_share_statistics(ir_op *softmax, expression_space *space) {
  if (!softmax_starts_empty(softmax))
    return false;
  bool sums = share(softmax, OP_ARITH_ADDF, space);
  return share(softmax, OP_ARITH_MAXIMUMF, space) || sums;
}
