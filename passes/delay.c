/* delay.c - the pass "delay-scales": positive factors of scores go behind the maximum of a row, one mask does for all
 * that is made of scores, and scores that may be huge are rounded before the maximum is taken off.
 *
 * Softmax computes e^(c x - m) for each score x, where m is the maximum of c x in its row. A positive c commutes with
 * the maximum, whatever is rounded, and with masks of -infinity. So the maximum is that of x, times c once a row, and c
 * x is for the difference only, where code generators make one multiply-add of both.
 *
 * log2(e), with which targets raise 2 instead of e, stays a product of its own: in one factor with c, the maximum's own
 * exponent would be a rounding and no zero, and weights that should be 1 would not be.
 *
 * In a multiply-add c x is not rounded, while the maximum was made of what is: the exponent of the largest weight is a
 * rounding of its score, next to nothing where scores are what products of queries and keys are. Of scores that a mask
 * has made -1e9 it is up to 32, and of the lowest number anything: sums and weights in 16 bits are infinite or 0, in
 * rows that see nothing, or all of which negative factors make huge. So what may be so large, as far as can be seen, is
 * rounded first.
 *
 * Invariants: values keep their meaning, bit for bit; others that read a maximum or scaled scores find them.
 * Terminates: each op is visited once, what is made here is not; what lost its uses is left to simplify. */
#include "passes/mask.h"
#include "passes/moderate.h"
#include "passes/passes.h"

#include <math.h>
#include <string.h>

/* x where the value is x * factor with a positive constant; else the value itself, and 1. */
static ir_value *without_factor(ir_value *value, double *factor) {
  const ir_op *op = ir_made_by(value, OP_ARITH_MULF);
  ir_cell cell;
  for (unsigned i = 0; op && i < 2; i++)
    if (ir_value_splat(ir_operand(op, i), &cell) && cell.f > 0 && cell.f < INFINITY) {
      *factor = cell.f;
      return ir_operand(op, 1 - i);
    }
  *factor = 1;
  return value;
}

static ir_value *times(ir_builder *builder, ir_value *value, double factor) {
  return ir_binary(builder, OP_ARITH_MULF, value, ir_const(builder, value->type, factor));
}

/* select(condition, x * c, -infinity) is select(condition, x, -infinity) * c. */
static void move_behind_select(ir_op *op) {
  for (unsigned i = 1; i <= 2; i++) {
    double factor;
    ir_value *choice[] = {ir_operand(op, 0), ir_operand(op, 1), ir_operand(op, 2)};
    choice[i] = without_factor(choice[i], &factor);
    if (factor == 1 || !mask_is_hidden(choice[3 - i]))
      continue;
    ir_builder builder = ir_builder_before(op);
    ir_value *chosen = ir_select(&builder, choice[0], choice[1], choice[2]);
    ir_replace_uses(ir_result(op, 0), times(&builder, chosen, factor));
    return;
  }
}

/* The maximum of x * c is that of x, times c: rounding keeps order. */
static void move_behind_maximum(ir_op *op) {
  double factor;
  ir_opcode combine = ir_combine_of(op);
  ir_value *x = without_factor(ir_operand(op, 0), &factor), *start = ir_operand(op, 1);
  if (factor == 1 || (combine != OP_ARITH_MAXNUMF && combine != OP_ARITH_MAXIMUMF))
    return;
  ir_builder builder = ir_builder_before(op);
  ir_op *reduction = ir_op_clone(&builder, op, NULL);
  ir_set_operand(reduction, 0, x);
  builder = ir_builder_before(reduction);
  ir_set_operand(reduction, 1, ir_const(&builder, start->type, -INFINITY));
  builder = ir_builder_before(op);
  ir_value *scaled = times(&builder, ir_result(reduction, 0), factor);
  ir_replace_uses(ir_result(op, 0), ir_binary(&builder, combine, scaled, start));
}

/* ---------------------------------------------------------------------------------------------------- masks once */

enum { MAX_STEPS = 32 }; /* values looked at for one answer; it is no if that takes more */

/* The value is taken only where the mask is set: all that is made of it, element by element, ends in selects by it. */
static bool is_taken_under(const ir_value *value, const ir_value *mask, unsigned *steps) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *user = use->user;
    if (user->code == OP_ARITH_SELECT && ir_operand(user, 0) == mask && ir_use_index(use) == 1)
      continue;
    if (!*steps || !--*steps || !ir_op_has(user, IR_ELEMENTWISE) || user->num_results != 1 ||
        !is_taken_under(ir_result(user, 0), mask, steps))
      return false;
  }
  return true;
}

/* The value, a row's or all elements', is above -infinity, or NaN. */
static bool is_above(const ir_value *value, unsigned *steps) {
  const ir_op *op = value->op;
  ir_cell cell;
  if (ir_value_splat(value, &cell))
    return cell.f > -INFINITY;
  if (!op || !*steps || !--*steps)
    return false;
  switch (op->code) {
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_SHAPE_CAST:
    return is_above(ir_operand(op, 0), steps);
  case OP_ARITH_SELECT:
    return is_above(ir_operand(op, 1), steps) && is_above(ir_operand(op, 2), steps);
  case OP_ARITH_MAXIMUMF:
  case OP_ARITH_MAXNUMF:
    return is_above(ir_operand(op, 0), steps) || is_above(ir_operand(op, 1), steps);
  case OP_VECTOR_MULTI_REDUCTION:
    return !strncmp(ir_attr_string_or(op, "kind", ""), "max", 3) && is_above(ir_operand(op, 1), steps);
  default:
    return false;
  }
}

/* Selects of 0 by the mask where the value, or what it is rounded to, is 0 already. */
static void drop_selects(ir_value *value, const ir_value *mask) {
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    const ir_op *user = use->user;
    if (user->code == OP_ARITH_TRUNCF)
      drop_selects(ir_result(user, 0), mask);
    else if (user->code == OP_ARITH_SELECT && ir_operand(user, 0) == mask && ir_use_index(use) == 1 &&
             ir_value_is_zero(ir_operand(user, 2)))
      ir_replace_uses(ir_result(user, 0), value);
  }
}

/* The maximum of a row is taken of select(mask, x, -infinity). Where e^(x - m) goes under the same mask later, that of
 * the select is 0 where the mask is not set, and one mask does for all. */
static void mask_once(ir_op *op) {
  ir_value *mask = ir_operand(op, 0), *x = ir_operand(op, 1);
  if (mask->type->kind != IR_TYPE_VECTOR || !mask_is_hidden(ir_operand(op, 2)))
    return;
  for (ir_use *use = x->uses, *next; use; use = next) {
    next = use->next;
    ir_op *user = use->user;
    unsigned above_steps = MAX_STEPS, taken_steps = MAX_STEPS;
    if (user == op || user->code != OP_ARITH_SUBF || ir_use_index(use) || user->block != op->block ||
        !ir_op_is_before(op, user) || !ir_value_has_one_use(ir_result(user, 0)) ||
        !is_above(ir_operand(user, 1), &above_steps) || !is_taken_under(ir_result(user, 0), mask, &taken_steps))
      continue;
    const ir_op *power = ir_result(user, 0)->uses->user;
    if (power->code != OP_MATH_EXP)
      continue;
    ir_set_operand(user, 0, ir_result(op, 0));
    drop_selects(ir_result(power, 0), mask);
  }
}

/* ------------------------------------------------------------------------------------------------------ huge scores */

/* The product that an exponent starts with: scores, from which something is subtracted. */
static ir_op *scores_of(const ir_value *exponent) {
  const ir_op *difference = ir_made_by(exponent, OP_ARITH_SUBF);
  ir_op *op = difference ? ir_operand(difference, 0)->op : NULL;
  while (op && (op->code == OP_ARITH_NEGF || op->code == OP_ARITH_SELECT)) {
    bool second = op->code == OP_ARITH_SELECT && mask_is_hidden(ir_operand(op, 1));
    op = ir_operand(op, op->code == OP_ARITH_NEGF ? 0 : second ? 2 : 1)->op;
  }
  return op && op->code == OP_ARITH_MULF ? op : NULL;
}

static bool visit_power(ir_op *op, void *data) {
  ir_op *scores = op->code == OP_MATH_EXP || op->code == OP_MATH_EXP2 ? scores_of(ir_operand(op, 0)) : NULL;
  if (scores && !moderate_score(NULL, ir_result(scores, 0)))
    ir_attr_set(scores, PASS_ROUNDED, ir_attr_unit(op->module));
  return true;
}

static bool visit_mask(ir_op *op, void *data) {
  if (op->code == OP_ARITH_SELECT && op->results[0].type->element == IR_F32)
    mask_once(op);
  return true;
}

static bool visit(ir_op *op, void *data) {
  if (!op->num_results || op->results[0].type->element != IR_F32)
    return true;
  if (op->code == OP_ARITH_SELECT)
    move_behind_select(op);
  else if (op->code == OP_VECTOR_MULTI_REDUCTION)
    move_behind_maximum(op);
  return true;
}

bool pass_delay_scales(ir_module *module, const pass_options *options) {
  ir_block *top = ir_region(module->root, 0);
  return ir_walk(top, visit_mask, NULL) && ir_walk(top, visit, NULL) && ir_walk(top, visit_power, NULL);
}
