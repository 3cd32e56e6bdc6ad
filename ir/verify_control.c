/* verify_control.c - checks of functions, scf loops and branches, and transform scripts: what enters and leaves their
 * regions has the types promised outside. */
#include "verify_util.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- functions */

static const ir_type *function_result(const ir_op *op, unsigned i) {
  return ir_attr_get(op, "function_type")->type->results[i];
}

static bool verify_place(const ir_op *op) {
  return ir_op_parent(op) == op->module->root || ir_op_error(op, "must stand at the top level of the module");
}

/* At the top level of the module, with a name and a function type that the region's arguments follow. */
static bool verify_signature(const ir_op *op) {
  const ir_type *type = ir_attr_get(op, "function_type")->type;
  const ir_block *body = ir_region(op, 0);
  if (!verify_place(op))
    return false;
  if (type->kind != IR_TYPE_FUNCTION)
    return ir_op_error(op, "needs a function type, not %s", type_text(op, type));
  if (!body->first)
    return true;
  if (body->num_args != type->num_inputs)
    return ir_op_error(op, "has %u arguments, but its type has %u", body->num_args, type->num_inputs);
  for (unsigned i = 0; i < body->num_args; i++)
    if (body->args[i]->type != type->inputs[i])
      return ir_op_error(op, "argument %u must be of type %s, not %s", i, type_text(op, type->inputs[i]),
                         type_text(op, body->args[i]->type));
  return true;
}

/* The last results are in memory of the arguments that `tec.tied` lists, of tensors like them. Callers do not ask for
 * their extents, so there is a function that tells those of the others. */
static bool verify_tied(const ir_op *op) {
  const ir_type *type = ir_attr_get(op, "function_type")->type;
  unsigned count = 0;
  const int64_t *tied = ir_attr_i64s_of(op, "tec.tied", &count);
  bool fits = count <= type->num_results && (!count || ir_attr_get(op, "tec.shapes"));
  for (unsigned i = 0; fits && i < count; i++) {
    const ir_type *result = type->results[type->num_results - count + i];
    fits = tied[i] > (i ? tied[i - 1] : -1) && tied[i] < type->num_inputs && type->inputs[tied[i]] == result &&
           result->kind == IR_TYPE_TENSOR;
  }
  return fits || ir_op_error(op, "has no results like the arguments that 'tec.tied' lists, or lacks 'tec.shapes'");
}

/* The function that `tec.shapes` names takes the integer arguments that `tec.positions` lists. */
static bool verify_positions(const ir_op *op) {
  const ir_type *type = ir_attr_get(op, "function_type")->type;
  unsigned count = 0;
  const int64_t *positions = ir_attr_i64s_of(op, "tec.positions", &count);
  bool fits = true;
  for (unsigned i = 0; fits && i < count; i++) {
    const ir_type *input = positions[i] >= 0 && positions[i] < type->num_inputs ? type->inputs[positions[i]] : NULL;
    fits = input && input->kind == IR_TYPE_SCALAR && !ir_scalar_is_float(input->element);
  }
  return fits || ir_op_error(op, "lists arguments in 'tec.positions' that are no integers");
}

bool verify_func(const ir_op *op) {
  return verify_signature(op) && verify_tied(op) && verify_positions(op) &&
         (!ir_region(op, 0)->first ||
          verify_terminator(op, 0, ir_attr_get(op, "function_type")->type->num_results, function_result));
}

bool verify_call(const ir_op *op) {
  const char *name = ir_attr_get(op, "callee")->string;
  const ir_op *callee = ir_module_lookup(op->module, name);
  const ir_attr *attr = callee && callee->code == OP_FUNC_FUNC ? ir_attr_get(callee, "function_type") : NULL;
  if (!attr || attr->kind != IR_ATTR_TYPE || attr->type->kind != IR_TYPE_FUNCTION)
    return ir_op_error(op, "calls '%s', but there is no such function", name);
  const ir_type *type = attr->type;
  if (ir_attr_get(callee, "tec.tied"))
    return ir_op_error(op, "calls '%s', whose results are in memory of its arguments", name);
  bool fits = op->num_operands == type->num_inputs && op->num_results == type->num_results;
  for (unsigned i = 0; fits && i < op->num_operands; i++)
    fits = ir_operand(op, i)->type == type->inputs[i];
  for (unsigned i = 0; fits && i < op->num_results; i++)
    fits = ir_result(op, i)->type == type->results[i];
  return fits || ir_op_error(op, "does not fit '%s', which is %s", name, type_text(op, type));
}

/* -------------------------------------------------------------------------------------------------------------- scf */

static const ir_type *type_of_result(const ir_op *op, unsigned i) { return ir_result(op, i)->type; }

bool verify_for(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_type *type = ir_operand(op, 0)->type;
  if (type->kind != IR_TYPE_SCALAR || ir_scalar_is_float(type->element))
    return ir_op_error(op, "the bounds must be indices or integers, not %s", type_text(op, type));
  if (ir_operand(op, 1)->type != type || ir_operand(op, 2)->type != type)
    return ir_op_error(op, "lower bound, upper bound and step must be of one type");
  if (ir_attr_get(op, "unsignedCmp"))
    return ir_op_error(op, "compares its bounds with sign; 'unsignedCmp' is not supported");
  const ir_op *step = ir_operand(op, 2)->op;
  if (step && ir_op_has(step, IR_CONSTANT) && ir_attr_get(step, "value") && ir_attr_get(step, "value")->value <= 0)
    return ir_op_error(op, "the step must be positive");
  unsigned carried = ir_group_size(op, 3);
  if (op->num_results != carried)
    return ir_op_error(op, "carries %u values, but has %u results", carried, op->num_results);
  if (body->num_args != carried + 1 || body->args[0]->type != type)
    return ir_op_error(op, "the region must have the induction variable and one argument a carried value");
  for (unsigned i = 0; i < carried; i++) {
    const ir_type *init = ir_group_operand(op, 3, i)->type;
    if (init != ir_result(op, i)->type || init != body->args[i + 1]->type)
      return ir_op_error(op, "carried value %u starts as %s, but is %s in the region and %s after it", i,
                         type_text(op, init), type_text(op, body->args[i + 1]->type),
                         type_text(op, ir_result(op, i)->type));
  }
  return verify_terminator(op, 0, carried, type_of_result);
}

bool verify_forall(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  unsigned rank, outs = ir_group_size(op, 3);
  const int64_t *lower = ir_attr_i64s_of(op, "staticLowerBound", &rank), *upper, *steps;
  if (!lower || rank > IR_MAX_LOOPS)
    return ir_op_error(op, "must have at most %u loops", IR_MAX_LOOPS);
  if (!verify_mixed(op, 0, "staticLowerBound", rank, &lower) ||
      !verify_mixed(op, 1, "staticUpperBound", rank, &upper) || !verify_mixed(op, 2, "staticStep", rank, &steps))
    return false;
  for (unsigned i = 0; i < rank; i++)
    if (steps[i] <= 0 && steps[i] != IR_DYNAMIC)
      return ir_op_error(op, "the step of loop %u must be positive", i);
  if (op->num_results != outs)
    return ir_op_error(op, "shares %u outputs, but has %u results", outs, op->num_results);
  if (body->num_args != rank + outs)
    return ir_op_error(op, "the region must have %u arguments, not %u", rank + outs, body->num_args);
  for (unsigned i = 0; i < body->num_args; i++) {
    const ir_type *wanted = i < rank ? ir_type_index(op->module) : ir_group_operand(op, 3, i - rank)->type;
    if (body->args[i]->type != wanted)
      return ir_op_error(op, "argument %u of the region must be of type %s, not %s", i, type_text(op, wanted),
                         type_text(op, body->args[i]->type));
    if (i >= rank && (wanted->kind != IR_TYPE_TENSOR || ir_result(op, i - rank)->type != wanted))
      return ir_op_error(op, "output %u must be a tensor, and the result of its type", i - rank);
  }
  return true;
}

bool verify_in_parallel(const ir_op *op) {
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    if (inner->code != OP_TENSOR_PARALLEL_INSERT_SLICE)
      return ir_op_error(inner, "cannot stand in 'scf.forall.in_parallel'");
  return true;
}

bool verify_if(const ir_op *op) {
  if (ir_operand(op, 0)->type != ir_type_scalar(op->module, IR_I1))
    return ir_op_error(op, "the condition must be i1, not %s", type_text(op, ir_operand(op, 0)->type));
  if (!ir_region(op, 0)->first)
    return ir_op_error(op, "the first region must not be empty");
  if (op->num_results && !ir_region(op, 1)->first)
    return ir_op_error(op, "needs an else region for its results");
  if (ir_region(op, 0)->num_args || ir_region(op, 1)->num_args)
    return ir_op_error(op, "the regions have no arguments");
  return verify_terminator(op, 0, op->num_results, type_of_result) &&
         (!ir_region(op, 1)->first || verify_terminator(op, 1, op->num_results, type_of_result));
}

/* -------------------------------------------------------------------------------------------------------- transform */

static bool verify_handles(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!verify_kind(op, ir_operand(op, i), IR_TYPE_HANDLE, "operand"))
      return false;
  for (unsigned i = 0; i < op->num_results; i++)
    if (!verify_kind(op, ir_result(op, i), IR_TYPE_HANDLE, "result"))
      return false;
  return true;
}

bool verify_transform_sequence(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  if (op->code == OP_TRANSFORM_NAMED_SEQUENCE ? !verify_signature(op) : !verify_place(op))
    return false;
  if (body->num_args != 1)
    return ir_op_error(op, "the region must have one argument, the handle of the module");
  if (!verify_kind(op, body->args[0], IR_TYPE_HANDLE, "the argument"))
    return false;
  for (const ir_op *inner = body->first; inner; inner = inner->next)
    if (strncmp(ir_op_row(inner)->name, "transform.", 10))
      return ir_op_error(inner, "cannot stand in a schedule");
  return verify_handles(op);
}

bool verify_transform_target(const ir_op *op) { return verify_handles(op); }

bool verify_transform_match(const ir_op *op) {
  const ir_attr *ops = ir_attr_get(op, "ops");
  for (unsigned i = 0; ops && i < ops->count; i++) {
    if (ops->elements[i]->kind != IR_ATTR_STRING)
      return ir_op_error(op, "'ops' must hold names of ops");
    ir_opcode code;
    if (!ir_opcode_find(ops->elements[i]->string, ops->elements[i]->count, &code))
      return ir_op_error(op, "looks for '%s', but there is no such op", ops->elements[i]->string);
  }
  if (!ops && !ir_attr_get(op, "op_attrs"))
    return ir_op_error(op, "needs 'ops' or 'op_attrs'");
  return verify_handles(op);
}

bool verify_transform_fuse(const ir_op *op) {
  unsigned num_sizes, num_places, loops = 0;
  const int64_t *sizes = ir_attr_i64s_of(op, "tile_sizes", &num_sizes);
  const int64_t *places = ir_attr_i64s_of(op, "tile_interchange", &num_places);
  for (unsigned i = 0; i < num_sizes; i++) {
    if (sizes[i] < 0)
      return ir_op_error(op, "tile size %u must not be negative", i);
    loops += sizes[i] != 0;
  }
  if (op->num_results != loops + 1)
    return ir_op_error(op, "gives the fused op and %u loops, one a tile size that is not 0; got %u results", loops,
                       op->num_results);
  uint32_t set;
  if (places && (num_places > IR_MAX_LOOPS || !ir_are_distinct(num_places, places, num_places, &set)))
    return ir_op_error(op, "'tile_interchange' must be a permutation");
  return verify_handles(op);
}
