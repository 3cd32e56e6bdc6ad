/* body.c - see body.h. Terminates: conversions lead to values defined before. */
#include "passes/body.h"

ir_value *body_unconverted(ir_value *value) {
  while (value->op && (value->op->code == OP_ARITH_EXTF || value->op->code == OP_ARITH_TRUNCF))
    value = ir_operand(value->op, 0);
  return value;
}

bool body_is_product(const ir_op *op) {
  if (op->num_operands != 2 || !op->num_regions)
    return false;
  const ir_value *value = body_unconverted(ir_operand(ir_block_terminator(ir_region(op, 0)), 0));
  if (!value->op || value->op->code != OP_ARITH_MULF)
    return false;
  unsigned seen = 0;
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *factor = body_unconverted(ir_operand(value->op, i));
    if (factor->block == ir_region(op, 0))
      seen |= 1u << factor->index;
  }
  return seen == 3;
}

ir_value *body_quotient(ir_builder *body, ir_value *a, ir_value *b) {
  ir_value *zero = ir_const(body, b->type, 0), *is_zero = ir_compare(body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, b, zero);
  return ir_select(body, is_zero, zero, ir_binary(body, OP_ARITH_DIVF, a, b));
}

ir_value *body_finish(ir_builder *body, ir_op *generic, ir_value *value) {
  const ir_block *block = ir_region(generic, 0);
  ir_value *result = ir_convert(body, value, block->args[block->num_args - 1]->type);
  ir_terminator(body, OP_LINALG_YIELD, 1, &result);
  return ir_result(generic, 0);
}
