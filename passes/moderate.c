/* moderate.c - see moderate.h. Terminates: values are followed through operands, MAX_STEPS at most for one answer. */
#include "passes/moderate.h"

#include "ir/build.h"

#include <math.h>

enum { MAX_STEPS = 128 };

typedef struct search {
  const ir_op *op;
  unsigned steps; /* that are left */
} search;

/* Factors, as scales of quantised keys are, may come from memory (`is_factor`); what comes from there otherwise may be
 * a mask, or masked. */
static bool is_moderate(search *s, const ir_value *value, bool is_factor);

/* A value that the search ends at: of a body, an input, or what its op takes from outside; of vectors, a scalar. */
static bool end_is_moderate(const search *s, const ir_value *value, bool is_factor) {
  bool is_input = s->op && !value->op && value->block == ir_region(s->op, 0);
  if (!is_input)
    return is_factor || value->type->kind == IR_TYPE_SCALAR;
  if (value->index >= ir_num_inputs(s->op))
    return is_factor;
  const ir_value *input = ir_operand(s->op, value->index);
  return is_factor || input->type->kind == IR_TYPE_SCALAR || (input->op && ir_is_contraction(input->op));
}

/* A product or quotient: one factor at least is moderate by itself, and no constant. */
static bool product_is_moderate(search *s, const ir_op *product, bool is_factor) {
  ir_cell cell;
  const ir_value *factors[] = {ir_operand(product, 0), ir_operand(product, 1)};
  for (unsigned i = 0; i < 2; i++)
    if (ir_value_splat(factors[i], &cell))
      return is_moderate(s, factors[i], false) && is_moderate(s, factors[1 - i], is_factor);
  return is_moderate(s, factors[0], true) && is_moderate(s, factors[1], true) &&
         (is_moderate(s, factors[0], false) || is_moderate(s, factors[1], false));
}

static bool is_moderate(search *s, const ir_value *value, bool is_factor) {
  const double MOST = 1 << 20; /* multiply-adds of scores of that size leave 1/32 at most */
  const ir_op *op = value->op;
  ir_cell cell;
  if (ir_value_splat(value, &cell))
    return !ir_scalar_is_float(value->type->element) || fabs(cell.f) < MOST || isinf(cell.f);
  if (!op || (s->op ? ir_value_is_outside(value, ir_region(s->op, 0)) : value->type->kind == IR_TYPE_SCALAR))
    return end_is_moderate(s, value, is_factor);
  if (!s->steps || !--s->steps)
    return false;
  switch (op->code) {
  case OP_VECTOR_CONTRACT:
  case OP_ARITH_SITOFP:
  case OP_ARITH_UITOFP:
  case OP_MATH_TANH:
    return true;
  case OP_SCF_FOR:
    return is_moderate(s, ir_yielded(op, value->index), is_factor);
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_SHAPE_CAST:
  case OP_VECTOR_EXTRACT:
  case OP_VECTOR_TRANSPOSE:
  case OP_ARITH_NEGF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    return is_moderate(s, ir_operand(op, 0), is_factor);
  case OP_ARITH_DIVF:
  case OP_ARITH_MULF:
    return product_is_moderate(s, op, is_factor);
  case OP_ARITH_SELECT:
    return is_moderate(s, ir_operand(op, 1), false) && is_moderate(s, ir_operand(op, 2), false);
  case OP_ARITH_ADDF:
  case OP_ARITH_SUBF:
    return is_moderate(s, ir_operand(op, 0), false) && is_moderate(s, ir_operand(op, 1), false);
  default:
    return is_factor;
  }
}

bool moderate_score(const ir_op *op, const ir_value *score) {
  search s = {.op = op, .steps = MAX_STEPS};
  return is_moderate(&s, score, false);
}
