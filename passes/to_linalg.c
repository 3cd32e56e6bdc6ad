/* to_linalg.c - pass "to-linalg": what people write on whole tensors without linalg becomes structured ops, so that all
 * passes behind see one form, which fuses, tiles and merges like the rest:
 *  - an elementwise op (arith, math) becomes a generic with the same op in its body, as MLIR's
 *    convert-elementwise-to-linalg makes it; but an operand that is one number everywhere is a scalar of the body;
 *  - tensor.splat becomes a fill;
 *  - tensor.generate becomes a generic without inputs, whose region's indices are those of loops;
 *  - a constant that is one number everywhere becomes a fill where it starts what an op computes.
 *
 * Elements stay what they were, bit for bit. Terminates: each op is replaced once, by ops of other kinds. */
#include "passes/body.h"
#include "passes/buffers.h"
#include "passes/passes.h"

/* Where the value is among the inputs; it becomes the last one if it is none yet. */
static unsigned input_of(ir_value *value, ir_value **inputs, unsigned *num_inputs) {
  unsigned i = 0;
  while (i < *num_inputs && inputs[i] != value)
    i++;
  if (i == *num_inputs)
    inputs[(*num_inputs)++] = value;
  return i;
}

static void elementwise_to_generic(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_value *result = ir_result(op, 0), *whole = NULL, *inputs[IR_MAX_GROUPS], *scalars[IR_MAX_GROUPS];
  const ir_map *identity = ir_map_identity(op->module, result->type->rank), *maps[IR_MAX_GROUPS + 1];
  unsigned num_inputs = 0, places[IR_MAX_GROUPS];
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_value *operand = ir_operand(op, i);
    ir_cell splat;
    scalars[i] = operand;
    if (!is_tensor(operand))
      continue;
    whole = operand;
    bool is_splat = ir_value_splat(operand, &splat);
    scalars[i] = is_splat ? ir_splat(&builder, ir_type_scalar(op->module, operand->type->element), splat) : NULL;
    if (!is_splat)
      places[i] = input_of(operand, inputs, &num_inputs);
  }
  for (unsigned i = 0; i <= num_inputs; i++)
    maps[i] = identity;
  ir_value *out = pass_empty_like(&builder, whole, result->type->element);
  ir_op *generic = ir_generic(&builder, num_inputs, inputs, 1, &out, maps, identity->num_dims, 0);
  ir_builder body = body_of(generic);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!scalars[i])
      scalars[i] = body_argument(generic, places[i]);
  const ir_type *type = ir_type_scalar(op->module, result->type->element);
  ir_value *value = ir_create(&body, op->code, type, op->num_operands, scalars, op->num_attrs, op->attrs);
  ir_terminator(&body, OP_LINALG_YIELD, 1, &value);
  ir_replace_uses(result, ir_result(generic, 0));
  ir_op_erase(op);
}

/* A tensor of any content with the extents of the op's result, of which the dynamic ones are operands from `first`. */
static ir_value *empty_of(ir_builder *builder, const ir_op *op, unsigned first) {
  const ir_type *type = ir_result(op, 0)->type;
  ir_index shape[IR_MAX_RANK];
  for (unsigned i = 0; i < type->rank; i++)
    shape[i] = type->shape[i] == IR_DYNAMIC ? ir_index_of(ir_operand(op, first++)) : ir_index_const(type->shape[i]);
  ir_value *empty = ir_empty(builder, type->element, type->rank, shape);
  return empty->type == type ? empty : ir_create(builder, OP_TENSOR_CAST, type, 1, &empty, 0, NULL);
}

static void splat_to_fill(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_replace_uses(ir_result(op, 0), ir_fill(&builder, ir_operand(op, 0), empty_of(&builder, op, 1)));
  ir_op_erase(op);
}

static void generate_to_generic(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  const ir_block *elements = ir_region(op, 0);
  const ir_map *identity = ir_map_identity(op->module, elements->num_args);
  ir_value *out = empty_of(&builder, op, 0);
  ir_op *generic = ir_generic(&builder, 0, NULL, 1, &out, &identity, elements->num_args, 0);
  ir_builder body = body_of(generic);
  ir_value_map *values = ir_value_map_create(op->module);
  for (unsigned i = 0; i < elements->num_args; i++)
    ir_value_map_set(values, elements->args[i], ir_loop_index(&body, i));
  for (const ir_op *each = elements->first; each != elements->last; each = each->next)
    ir_op_clone(&body, each, values);
  ir_value *element = ir_value_map_get(values, ir_operand(elements->last, 0));
  ir_terminator(&body, OP_LINALG_YIELD, 1, &element);
  ir_replace_uses(ir_result(op, 0), ir_result(generic, 0));
  ir_op_erase(op);
}

bool pass_op_to_linalg(ir_op *op) {
  if (op->code == OP_TENSOR_SPLAT)
    splat_to_fill(op);
  else if (op->code == OP_TENSOR_GENERATE)
    generate_to_generic(op);
  else if (ir_op_has(op, IR_ELEMENTWISE) && ir_op_touches(op, IR_TYPE_TENSOR))
    elementwise_to_generic(op);
  else
    return false;
  return true;
}

/* Where accumulation starts from one number everywhere, passes look for a fill. */
static void fill_destinations(ir_op *constant) {
  ir_value *value = ir_result(constant, 0), *filled = NULL;
  ir_cell splat;
  if (!is_tensor(value) || !ir_value_splat(value, &splat))
    return;
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (!ir_op_has(use->user, IR_DPS) || ir_use_index(use) < ir_num_inputs(use->user))
      continue;
    if (!filled) {
      ir_builder after = ir_builder_after(constant);
      ir_value *scalar = ir_splat(&after, ir_type_scalar(constant->module, value->type->element), splat);
      filled = ir_fill(&after, scalar, empty_of(&after, constant, 0));
    }
    ir_set_operand(use->user, ir_use_index(use), filled);
  }
}

static void visit(ir_op *op, const void *unused) {
  (void)unused;
  if (ir_op_has(op, IR_CONSTANT))
    fill_destinations(op);
  else
    pass_op_to_linalg(op);
}

bool pass_to_linalg(ir_module *module, const pass_options *options) {
  (void)options;
  pass_visit_unscheduled_ops(module, visit, NULL);
  return true;
}
