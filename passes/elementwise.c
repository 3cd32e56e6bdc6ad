/* elementwise.c - pass "elementwise-to-linalg": elementwise ops on tensors (arith and math as people write them) become
 * generics with the same op in the body, so that all passes behind see one form: they fuse, tile and merge like any
 * structured op. MLIR's convert-elementwise-to-linalg does the same; here an operand that is the same number everywhere
 * is a scalar of the body.
 *
 * Elements stay what they were, bit for bit. Terminates: each op is replaced once, by an op of another kind. */
#include "passes/body.h"
#include "passes/buffers.h"
#include "passes/passes.h"

void pass_elementwise_to_generic(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_value *result = ir_result(op, 0), *whole = NULL, *inputs[IR_MAX_GROUPS], *scalars[IR_MAX_GROUPS];
  const ir_map *identity = ir_map_identity(op->module, result->type->rank), *maps[IR_MAX_GROUPS + 1];
  unsigned num_inputs = 0;
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_value *operand = ir_operand(op, i);
    ir_cell splat;
    scalars[i] = operand;
    if (!is_tensor(operand))
      continue;
    whole = operand;
    scalars[i] = NULL;
    if (ir_value_splat(operand, &splat)) {
      scalars[i] = ir_splat(&builder, ir_type_scalar(op->module, operand->type->element), splat);
      continue;
    }
    maps[num_inputs] = identity;
    inputs[num_inputs++] = operand;
  }
  maps[num_inputs] = identity;
  ir_value *out = pass_empty_like(&builder, whole, result->type->element);
  ir_op *generic = ir_generic(&builder, num_inputs, inputs, 1, &out, maps, identity->num_dims, 0);
  ir_builder body = body_of(generic);
  for (unsigned i = 0, argument = 0; i < op->num_operands; i++)
    if (!scalars[i])
      scalars[i] = body_argument(generic, argument++);
  const ir_type *type = ir_type_scalar(op->module, result->type->element);
  ir_value *value = ir_create(&body, op->code, type, op->num_operands, scalars, op->num_attrs, op->attrs);
  ir_terminator(&body, OP_LINALG_YIELD, 1, &value);
  ir_replace_uses(result, ir_result(generic, 0));
  ir_op_erase(op);
}

static void visit(ir_op *op, const void *unused) {
  (void)unused;
  if (ir_op_has(op, IR_ELEMENTWISE) && ir_op_touches(op, IR_TYPE_TENSOR))
    pass_elementwise_to_generic(op);
}

bool pass_elementwise_to_linalg(ir_module *module, const pass_options *options) {
  (void)options;
  pass_visit_unscheduled_ops(module, visit, NULL);
  return true;
}
