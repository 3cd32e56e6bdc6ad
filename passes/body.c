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

ir_value *body_compare(ir_builder *builder, ir_opcode code, int64_t predicate, ir_value *lhs, ir_value *rhs) {
  const ir_type *boolean = ir_type_with_element(builder->module, lhs->type, IR_I1);
  ir_named_attr attr = {"predicate", ir_attr_int(builder->module, ir_type_scalar(builder->module, IR_I64), predicate)};
  ir_value *operands[] = {lhs, rhs};
  ir_op_spec spec = {
      .operands = operands, .num_operands = 2, .types = &boolean, .num_results = 1, .attrs = &attr, .num_attrs = 1};
  return ir_result(ir_op_create(builder, code, &spec), 0);
}

ir_value *body_select(ir_builder *builder, ir_value *condition, ir_value *yes, ir_value *no) {
  ir_value *operands[] = {condition, yes, no};
  ir_op_spec spec = {.operands = operands, .num_operands = 3, .types = &yes->type, .num_results = 1};
  return ir_result(ir_op_create(builder, OP_ARITH_SELECT, &spec), 0);
}

ir_value *body_quotient(ir_builder *body, ir_value *a, ir_value *b) {
  enum { ORDERED_EQUAL = 1 };
  ir_value *zero = ir_const(body, b->type, 0);
  ir_value *is_zero = body_compare(body, OP_ARITH_CMPF, ORDERED_EQUAL, b, zero);
  return body_select(body, is_zero, zero, ir_binary(body, OP_ARITH_DIVF, a, b));
}

ir_value *body_finish(ir_builder *body, ir_op *generic, ir_value *value) {
  const ir_block *block = ir_region(generic, 0);
  ir_value *result = ir_convert(body, value, block->args[block->num_args - 1]->type);
  ir_terminator(body, OP_LINALG_YIELD, 1, &result);
  return ir_result(generic, 0);
}
