/* verify_scalar.c - checks of arith, math and affine ops, and the result types that several dialects infer alike.
 * Runs after the checks of the row (verify.c), so counts hold and attributes are of their kinds. */
#include "verify_util.h"

/* --------------------------------------------------------------------------------------------------- inferred types */

bool infer_index(const ir_op *op, const ir_type **types) {
  types[0] = ir_type_index(op->module);
  return true;
}

bool infer_as_first(const ir_op *op, const ir_type **types) {
  types[0] = ir_operand(op, 0)->type;
  return true;
}

bool infer_as_second(const ir_op *op, const ir_type **types) {
  types[0] = ir_operand(op, 1)->type;
  return true;
}

bool infer_as_third(const ir_op *op, const ir_type **types) {
  types[0] = ir_operand(op, 2)->type;
  return true;
}

bool infer_compare(const ir_op *op, const ir_type **types) {
  const ir_type *type = ir_operand(op, 0)->type;
  if (type->kind != IR_TYPE_SCALAR && !ir_type_is_shaped(type))
    return ir_op_error(op, "cannot compare values of type %s", ir_print_type(op->module, type));
  types[0] = ir_type_with_element(op->module, type, IR_I1);
  return true;
}

bool infer_element(const ir_op *op, const ir_type **types) {
  const ir_type *type = ir_operand(op, 0)->type;
  if (!ir_type_is_shaped(type))
    return ir_op_error(op, "needs a tensor or memref, not %s", ir_print_type(op->module, type));
  types[0] = ir_type_scalar(op->module, type->element);
  return true;
}

/* --------------------------------------------------------------------------------------------------- arith and math */

static bool takes_floats(const ir_op *op, const ir_type *type) {
  return ir_scalar_is_float(type->element) ||
         ir_op_error(op, "works on floats, not on %s", ir_print_type(op->module, type));
}

bool verify_float(const ir_op *op) { return takes_floats(op, ir_result(op, 0)->type); }
bool verify_float_operand(const ir_op *op) { return takes_floats(op, ir_operand(op, 0)->type); }

bool verify_integer(const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  return !ir_scalar_is_float(type->element) ||
         ir_op_error(op, "works on integers, not on %s", ir_print_type(op->module, type));
}

bool verify_integer_power(const ir_op *op) {
  const ir_type *exponent = ir_operand(op, 1)->type;
  if (ir_scalar_kind_of(exponent->element) != IR_KIND_INTEGER || !ir_same_shape(exponent, ir_operand(op, 0)->type))
    return ir_op_error(op, "the exponent must be an integer of the base's shape, not %s",
                       ir_print_type(op->module, exponent));
  return verify_float(op);
}

bool verify_assert(const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  return type == ir_type_scalar(op->module, IR_I1) ||
         ir_op_error(op, "the condition must be i1, not %s", ir_print_type(op->module, type));
}

bool verify_constant(const ir_op *op) {
  const ir_attr *value = ir_attr_get(op, "value");
  const ir_type *type = ir_result(op, 0)->type;
  bool fits;
  if (value->kind == IR_ATTR_DENSE)
    fits = value->type == type && (type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_VECTOR);
  else
    fits = value->type == type && type->kind == IR_TYPE_SCALAR &&
           ir_scalar_is_float(type->element) == (value->kind == IR_ATTR_FLOAT);
  return fits || ir_op_error(op, "the value %s does not fit the type %s", ir_print_attr(op->module, value),
                             ir_print_type(op->module, type));
}

bool verify_compare(const ir_op *op) {
  const ir_type *lhs = ir_operand(op, 0)->type, *rhs = ir_operand(op, 1)->type;
  bool floats = op->code == OP_ARITH_CMPF;
  if (lhs != rhs)
    return ir_op_error(op, "compares %s with %s", ir_print_type(op->module, lhs), ir_print_type(op->module, rhs));
  if (ir_scalar_is_float(lhs->element) != floats)
    return ir_op_error(op, "compares %s, not %s", floats ? "floats" : "integers", ir_print_type(op->module, lhs));
  int64_t predicate = ir_attr_int_or(op, "predicate", -1);
  return (predicate >= 0 && predicate < (floats ? 16 : 10)) ||
         ir_op_error(op, "has no predicate %lld", (long long)predicate);
}

bool verify_select(const ir_op *op) {
  const ir_type *condition = ir_operand(op, 0)->type;
  if (condition->element != IR_I1)
    return ir_op_error(op, "the condition must be i1, not %s", ir_print_type(op->module, condition));
  if (condition->kind != IR_TYPE_SCALAR && condition->kind != ir_operand(op, 1)->type->kind)
    return ir_op_error(op, "the condition must be a scalar or of the kind of the values");
  return ir_operand(op, 1)->type == ir_operand(op, 2)->type ||
         ir_op_error(op, "both values must have the type of the result");
}

/* What a cast takes and gives, and how the width changes: -1 narrower, 1 wider, 0 equal, 2 any. */
static bool cast_rule(ir_opcode code, bool *from_float, bool *to_float, int *width) {
  *from_float = code == OP_ARITH_EXTF || code == OP_ARITH_TRUNCF || code == OP_ARITH_FPTOSI || code == OP_ARITH_FPTOUI;
  *to_float = code == OP_ARITH_EXTF || code == OP_ARITH_TRUNCF || code == OP_ARITH_SITOFP || code == OP_ARITH_UITOFP;
  *width = code == OP_ARITH_EXTF || code == OP_ARITH_EXTSI || code == OP_ARITH_EXTUI ? 1
           : code == OP_ARITH_TRUNCF || code == OP_ARITH_TRUNCI                      ? -1
                                                                                     : 2;
  return code != OP_ARITH_BITCAST;
}

bool verify_cast(const ir_op *op) {
  const ir_type *in = ir_operand(op, 0)->type, *out = ir_result(op, 0)->type;
  const char *from = ir_print_type(op->module, in), *to = ir_print_type(op->module, out);
  if (in->kind != out->kind)
    return ir_op_error(op, "cannot cast %s to %s", from, to);
  bool from_float, to_float;
  int width, change = (int)ir_scalar_bits(out->element) - (int)ir_scalar_bits(in->element);
  if (!cast_rule(op->code, &from_float, &to_float, &width))
    return (change == 0 && in->element != IR_INDEX && out->element != IR_INDEX) ||
           ir_op_error(op, "needs types of one width, not %s and %s", from, to);
  bool through_index = op->code == OP_ARITH_INDEX_CAST || op->code == OP_ARITH_INDEX_CASTUI;
  bool fits = ir_scalar_is_float(in->element) == from_float && ir_scalar_is_float(out->element) == to_float;
  if (through_index)
    fits &= (in->element == IR_INDEX) != (out->element == IR_INDEX);
  else
    fits &= in->element != IR_INDEX && out->element != IR_INDEX;
  if (op->code == OP_ARITH_TRUNCF && ir_attr_int_or(op, "roundingmode", 0)) /* 0: to_nearest_even */
    return ir_op_error(op, "rounds to nearest even only");
  if (width != 2)
    fits &= width < 0 ? change < 0 : change > 0;
  return fits || ir_op_error(op, "cannot cast %s to %s", from, to);
}

/* ----------------------------------------------------------------------------------------------------------- affine */

bool verify_affine(const ir_op *op) {
  const ir_map *map = ir_affine_map(op);
  if (op->num_operands != map->num_dims + map->num_syms)
    return ir_op_error(op, "the map takes %u operands, got %u", map->num_dims + map->num_syms, op->num_operands);
  if (op->code == OP_AFFINE_APPLY ? map->num_results != 1 : map->num_results == 0)
    return ir_op_error(op, "the map must have %s result", op->code == OP_AFFINE_APPLY ? "one" : "at least one");
  return verify_index_operands(op, 0, "operand");
}
