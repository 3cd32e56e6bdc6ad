/* sort_key.c - integers in whose order elements are sorted.
 *
 * The bits of floats, taken for signed integers, are in the order of the numbers, but for negative ones, which are in
 * the reverse: their lower bits are turned over. Zeros of both signs are one number, and NaN is where the sort puts it,
 * beyond the bits of either infinity. Narrow elements are widened before that.
 * Terminates: no loop. */
#include "passes/sort.h"

static bool is_wide(ir_scalar element) { return element == IR_INDEX || ir_scalar_bits(element) > 32; }

ir_scalar sort_key_type(ir_scalar element) { return is_wide(element) ? IR_I64 : IR_I32; }

ir_cell sort_key_last(ir_scalar key) { return (ir_cell){.i = key == IR_I64 ? INT64_MIN : INT32_MIN}; }

static ir_value *splat(ir_builder *body, const ir_type *type, int64_t integer) {
  return ir_splat(body, type, (ir_cell){.i = integer});
}

/* Larger where the float is. */
static ir_value *key_of_float(ir_builder *body, ir_value *element) {
  ir_module *module = body->module;
  bool wide = is_wide(element->type->element);
  const ir_type *number = ir_type_scalar(module, wide ? IR_F64 : IR_F32);
  const ir_type *key = ir_type_scalar(module, wide ? IR_I64 : IR_I32);
  int64_t most = wide ? INT64_MAX : INT32_MAX;
  element = ir_convert(body, element, number);
  ir_value *bits = ir_unary(body, OP_ARITH_BITCAST, element, key);
  ir_value *sign = ir_binary(body, OP_ARITH_SHRSI, bits, ir_const(body, key, wide ? 63 : 31));
  bits = ir_binary(body, OP_ARITH_XORI, bits, ir_binary(body, OP_ARITH_ANDI, sign, splat(body, key, most)));
  ir_value *zero = ir_compare(body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, element, ir_const(body, number, 0));
  bits = ir_select(body, zero, ir_const(body, key, 0), bits);
  ir_value *nan = ir_compare(body, OP_ARITH_CMPF, IR_UNORDERED_NOT_EQUAL, element, element);
  return ir_select(body, nan, splat(body, key, most), bits);
}

static ir_value *key_of_integer(ir_builder *body, ir_value *element, bool is_unsigned) {
  ir_scalar scalar = element->type->element;
  const ir_type *key = ir_type_scalar(body->module, sort_key_type(scalar));
  if (scalar != IR_INDEX && ir_scalar_bits(scalar) < ir_scalar_bits(key->element))
    return ir_unary(body, is_unsigned ? OP_ARITH_EXTUI : OP_ARITH_EXTSI, element, key);
  element = ir_convert(body, element, key);
  return is_unsigned ? ir_binary(body, OP_ARITH_XORI, element, splat(body, key, sort_key_last(key->element).i))
                     : element;
}

ir_value *sort_key(ir_builder *body, ir_value *element, const ir_sort_order *order) {
  bool is_float = ir_scalar_is_float(element->type->element);
  ir_value *key = is_float ? key_of_float(body, element) : key_of_integer(body, element, order->is_unsigned);
  return order->larger_first ? key : ir_binary(body, OP_ARITH_XORI, key, ir_const(body, key->type, -1));
}
