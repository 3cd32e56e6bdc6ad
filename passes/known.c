/* known.c - masks as constants: select(k <= q, x, -inf) is -infinity where it hides x, and what elementwise ops make of
 * that alone and of constants follows by computing it there, 0 for an exponential. With an operand of which nothing is
 * known, a product with 0, 0 over it and a sum with -infinity still are what they are: what a mask hides is taken to
 * hide NaN and infinity in what it meets, too.
 *
 * Invariant: what is said of a result follows from what is said of its operands, in the same place.
 * Terminates: no loops but over operands. */
#include "passes/known.h"

#include <math.h>

known known_constant(const ir_value *value) {
  known constant = {.kind = KNOWN_NOTHING};
  if (ir_value_splat(value, &constant.value))
    constant.kind = KNOWN_ALWAYS;
  return constant;
}

/* Operands that decide the result alone, where they are known to be `value`. */
static uint32_t which_are(const ir_op *op, const known *operands, double value) {
  uint32_t which = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (known_is(operands[i], value))
      which |= ir_bit(i);
  return which;
}

bool known_is_above(known known) {
  return known.kind == KNOWN_ABOVE || (known.kind == KNOWN_ALWAYS && known.value.f > -INFINITY);
}

static bool is_zero(known what) {
  return (what.kind == KNOWN_HIDDEN || what.kind == KNOWN_ALWAYS) && what.value.f == 0;
}

/* The operands that decide alone, and what they make the result. */
static uint32_t which_decide(const ir_op *op, const known *operands, double *value) {
  *value = 0;
  switch (op->code) {
  case OP_ARITH_MULF:
    return which_are(op, operands, 0);
  case OP_ARITH_DIVF:
    return is_zero(operands[1]) ? 0 : which_are(op, operands, 0) & ir_bit(0);
  case OP_ARITH_ADDF:
    *value = -INFINITY;
    return which_are(op, operands, -INFINITY);
  case OP_ARITH_SUBF:
    *value = -INFINITY;
    return known_is_above(operands[1]) ? which_are(op, operands, -INFINITY) & ir_bit(0) : 0;
  default:
    return 0;
  }
}

/* What the op makes of known operands. */
static known computed(const ir_op *op, const known *operands) {
  ir_scalar element = ir_result(op, 0)->type->element;
  ir_cell cells[KNOWN_MAX_OPERANDS];
  known result = {.kind = KNOWN_ALWAYS};
  for (unsigned i = 0; i < op->num_operands; i++) {
    cells[i] = operands[i].value;
    if (operands[i].kind == KNOWN_HIDDEN)
      result.kind = KNOWN_HIDDEN;
  }
  const ir_op_info *row = ir_op_row(op);
  if (row->undefined && row->undefined(op, cells))
    return (known){.kind = KNOWN_NOTHING};
  result.value = row->scalar(op, cells);
  if (ir_scalar_is_float(element))
    result.value.f = ir_scalar_round(element, result.value.f);
  else
    result.value.i = ir_scalar_wrap(element, result.value.i);
  return result;
}

known known_result(const ir_op *op, const known *operands, uint32_t *needed, bool *all) {
  bool all_known = ir_op_row(op)->scalar, some_above = false;
  double value;
  *needed = which_decide(op, operands, &value);
  *all = !*needed;
  if (*needed)
    return (known){.kind = KNOWN_HIDDEN, .value.f = value};
  for (unsigned i = 0; i < op->num_operands; i++) {
    some_above |= known_is_above(operands[i]);
    all_known &= operands[i].kind >= KNOWN_HIDDEN;
    if (operands[i].kind == KNOWN_HIDDEN)
      *needed |= ir_bit(i);
  }
  if (all_known)
    return computed(op, operands);
  bool stays = op->code == OP_ARITH_MAXIMUMF || op->code == OP_ARITH_EXTF;
  return (known){.kind = stays && some_above ? KNOWN_ABOVE : KNOWN_NOTHING};
}

bool known_choice_of(const ir_op *op, known_choice *choice) {
  static const double hiding[] = {-INFINITY, 0};
  *choice = (known_choice){.condition = op->num_operands ? ir_operand(op, 0) : NULL, .shown_if = true};
  if (op->code == OP_ARITH_UITOFP)
    return choice->condition->type->element == IR_I1;
  for (unsigned k = 0; k < 2 && op->code == OP_ARITH_SELECT; k++)
    for (unsigned i = 1; i <= 2; i++) {
      known other = known_constant(ir_operand(op, 3 - i));
      if (other.kind != KNOWN_ALWAYS || !ir_scalar_is_float(ir_result(op, 0)->type->element) ||
          other.value.f != hiding[k])
        continue;
      choice->shown_if = i == 1;
      choice->shown = i;
      choice->hidden = hiding[k];
      return true;
    }
  return false;
}
