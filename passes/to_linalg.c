/* to_linalg.c - pass "to-linalg": what people write on whole tensors without linalg becomes structured ops, so that all
 * passes behind see one form, which fuses, tiles and merges like the rest:
 *  - an elementwise op (arith, math) becomes a generic with the same op in its body, as MLIR's
 *    convert-elementwise-to-linalg makes it; but an operand that is one number everywhere is a scalar of the body;
 *  - tensor.splat becomes a fill;
 *  - tensor.generate becomes a generic without inputs, whose region's indices are those of loops;
 *  - a constant that is one number everywhere becomes a fill where it starts what an op computes.
 * On a GPU, where only kernels read, scalars that were read from tensors outside of a body are read in it.
 *
 * Elements stay what they were, bit for bit. Terminates: each op is replaced once, by ops of other kinds; scalars are
 * followed to what they are computed from, MAX_STEPS ops at most. */
#include "passes/body.h"
#include "passes/buffers.h"
#include "passes/passes.h"
#include "passes/tile_policy.h"

enum { MAX_STEPS = 64 }; /* ops that lead from elements of tensors to one scalar */

/* Where the value is among the inputs; it becomes the last one if it is none yet. */
static unsigned input_of(ir_value *value, ir_value **inputs, unsigned *num_inputs) {
  unsigned i = 0;
  while (i < *num_inputs && inputs[i] != value)
    i++;
  if (i == *num_inputs)
    inputs[(*num_inputs)++] = value;
  return i;
}

static ir_op *replace_by(ir_op *op, ir_op *structured) {
  ir_replace_op(op, ir_result(structured, 0));
  return structured;
}

static ir_op *elementwise_to_generic(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_value *result = ir_result(op, 0), *whole = NULL, *inputs[IR_MAX_GROUPS], *scalars[IR_MAX_GROUPS];
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
  ir_value *out = pass_empty_like(&builder, whole, result->type->element);
  ir_op *generic = body_by_element(&builder, num_inputs, inputs, out);
  ir_builder body = body_of(generic);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!scalars[i])
      scalars[i] = body_argument(generic, places[i]);
  const ir_type *type = ir_type_scalar(op->module, result->type->element);
  ir_value *value = ir_create(&body, op->code, type, op->num_operands, scalars, op->num_attrs, op->attrs);
  ir_terminator(&body, OP_LINALG_YIELD, 1, &value);
  return replace_by(op, generic);
}

/* A tensor of any content with the extents of the op's result, of which the dynamic ones are operands from `first`. */
static ir_value *empty_of(ir_builder *builder, const ir_op *op, unsigned first) {
  const ir_type *type = ir_result(op, 0)->type;
  ir_index shape[IR_MAX_RANK];
  ir_spelled_extents(op, first, shape);
  ir_value *empty = ir_empty(builder, type->element, type->rank, shape);
  return empty->type == type ? empty : ir_create(builder, OP_TENSOR_CAST, type, 1, &empty, 0, NULL);
}

static ir_op *splat_to_fill(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  return replace_by(op, ir_fill(&builder, ir_operand(op, 0), empty_of(&builder, op, 1))->op);
}

static ir_op *generate_to_generic(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  return replace_by(op, body_generate(&builder, ir_region(op, 0), empty_of(&builder, op, 0)));
}

ir_value *pass_fill_for(ir_builder *builder, const ir_op *constant, ir_cell splat) {
  const ir_type *type = ir_type_scalar(constant->module, ir_result(constant, 0)->type->element);
  ir_value *scalar = ir_splat(builder, type, splat);
  return ir_fill(builder, scalar, empty_of(builder, constant, 0));
}

ir_op *pass_op_to_linalg(ir_op *op) {
  if (op->code == OP_TENSOR_SPLAT)
    return splat_to_fill(op);
  if (op->code == OP_TENSOR_GENERATE)
    return generate_to_generic(op);
  return ir_op_has(op, IR_ELEMENTWISE) && ir_op_touches(op, IR_TYPE_TENSOR) ? elementwise_to_generic(op) : NULL;
}

/* ------------------------------------------------------------------------------------------- scalars that were read */

/* Elements of tensors lead to the scalar, by few ops that each could stand in a body. */
static bool is_read(const ir_value *value, unsigned *steps) {
  const ir_op *op = value->op;
  if (!op || op->num_regions || !pass_is_pure(op) || !*steps || !--*steps)
    return false;
  if (ir_op_touches(op, IR_TYPE_TENSOR))
    return op->code == OP_TENSOR_EXTRACT;
  bool found = false;
  for (unsigned i = 0; i < op->num_operands; i++)
    found |= is_read(ir_operand(op, i), steps);
  return found;
}

static bool was_read(const ir_value *value) {
  unsigned steps = MAX_STEPS;
  return value->type->kind == IR_TYPE_SCALAR && is_read(value, &steps) && steps;
}

/* The value, computed once more at the builder's place from what is read there. */
static ir_value *read_again(ir_builder *body, ir_value *value, ir_value_map *values) {
  ir_value *known = ir_value_map_get(values, value);
  if (known != value || !was_read(value))
    return known;
  for (unsigned i = 0; i < value->op->num_operands; i++)
    read_again(body, ir_operand(value->op, i), values);
  return ir_result(ir_op_clone(body, value->op, values), value->index);
}

/* What a body takes from outside, or a fill fills with, is read inside. */
static void read_inside(ir_op *op) {
  if (op->code == OP_LINALG_FILL && op->num_results && was_read(ir_input(op, 0))) {
    ir_builder builder = ir_builder_before(op);
    ir_op *generic = body_by_element(&builder, 0, NULL, ir_init(op, 0));
    ir_builder body = body_of(generic);
    body_finish(&body, generic, ir_input(op, 0));
    op = replace_by(op, generic);
  }
  if (!ir_op_has(op, IR_STRUCTURED) || !ir_op_has(op, IR_OWN_BODY))
    return;
  ir_block *body = ir_region(op, 0);
  ir_builder start = ir_builder_before(body->first);
  ir_value_map *values = ir_value_map_create(op->module);
  for (ir_op *inner = body->first; inner; inner = inner->next)
    for (unsigned i = 0; i < inner->num_operands; i++)
      if (ir_value_is_outside(ir_operand(inner, i), body))
        ir_set_operand(inner, i, read_again(&start, ir_operand(inner, i), values));
}

/* ------------------------------------------------------------------------------------------------------------- pass */

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
      filled = pass_fill_for(&after, constant, splat);
    }
    ir_set_operand(use->user, ir_use_index(use), filled);
  }
}

void pass_to_linalg(ir_op *op, const pass_options *options) {
  if (ir_op_has(op, IR_CONSTANT)) {
    fill_destinations(op);
    return;
  }
  ir_op *structured = pass_op_to_linalg(op);
  if (target_is_gpu(options->target))
    read_inside(structured ? structured : op);
}
