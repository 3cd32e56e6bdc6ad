/* interp.c - the reference interpreter's frame: functions, blocks, dispatch, constants, control flow.
 *
 * What an op does follows from its row: `eval` if it has one; else elementwise through `scalar`; else a structured op;
 * else a constant. Blocks nest at most MAX_DEPTH deep, calls included, so the stack is bounded. It ends when the
 * program does: scf.for and scf.forall count up by positive steps. */
#include "interp_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 1000 };

/* -------------------------------------------------------------------------------------------------- elementwise ops */

/* One element: the hook, its refusal, and the rounding to the type. */
static bool run_scalar(ir_interp *interp, const ir_op *op, const ir_cell *operands, ir_cell *result) {
  const ir_op_info *info = ir_op_row(op);
  const char *reason = info->undefined ? info->undefined(op, operands) : NULL;
  if (reason)
    return ir_op_error(op, "%s", reason);
  *result = interp_finish(interp, op->results[0].type->element, info->scalar(op, operands));
  return true;
}

enum { MAX_OPERANDS = 3 };

static bool run_elements(ir_interp *interp, const ir_op *op, interp_nest *nest, interp_value **operands,
                         interp_value *result) {
  unsigned inner = nest->num_loops - 1, last = op->num_operands;
  const ir_cell *cells[MAX_OPERANDS];
  for (unsigned i = 0; i < last; i++)
    cells[i] = interp_cells(operands[i]);
  for (bool more = interp_nest_begin(nest); more; more = interp_nest_next(nest))
    for (int64_t point = 0; point < nest->extents[inner]; point++) {
      ir_cell values[MAX_OPERANDS];
      for (unsigned i = 0; i < last; i++)
        values[i] = cells[i][nest->positions[i] + point * nest->strides[i][inner]];
      if (!run_scalar(interp, op, values, &interp_cells(result)[nest->positions[last] + point]))
        return false;
    }
  return true;
}

static bool run_elementwise(ir_interp *interp, const ir_op *op) {
  interp_value *operands[MAX_OPERANDS], *shaped = NULL, result;
  for (unsigned i = 0; i < op->num_operands; i++) {
    operands[i] = interp_operand(interp, op, i);
    if (!operands[i]->buffer)
      continue; /* a scalar is the same for all elements */
    for (unsigned dim = 0; shaped && dim < shaped->rank; dim++)
      if (shaped->shape[dim] != operands[i]->shape[dim])
        return ir_op_error(op, "operands have extents %lld and %lld in dim %u", (long long)shaped->shape[dim],
                           (long long)operands[i]->shape[dim], dim);
    shaped = operands[i];
  }
  if (!shaped) {
    ir_cell values[MAX_OPERANDS], value;
    for (unsigned i = 0; i < op->num_operands; i++)
      values[i] = operands[i]->cell;
    if (!run_scalar(interp, op, values, &value))
      return false;
    interp_set_cell(interp, ir_result(op, 0), value);
    return true;
  }
  if (!interp_allocate_raw(interp, op, op->results[0].type->element, shaped->rank, shaped->shape, &result))
    return false;
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, result.rank, result.shape, op->num_operands + 1);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (operands[i]->buffer)
      interp_nest_bind(&nest, i, operands[i]);
  interp_nest_bind(&nest, op->num_operands, &result);
  bool done = run_elements(interp, op, &nest, operands, &result);
  ir_arena_rewind(&interp->scratch, mark);
  if (done)
    interp_set(interp, ir_result(op, 0), &result);
  return done;
}

/* -------------------------------------------------------------------------------------------------------- constants */

bool interp_constant(ir_interp *interp, const ir_op *op, const ir_type *type, const ir_attr *attr,
                     interp_value *value) {
  bool is_float = ir_scalar_is_float(type->element);
  if (!ir_type_is_shaped(type)) {
    *value = (interp_value){.element = type->element};
    value->cell = is_float ? (ir_cell){.f = attr->number} : (ir_cell){.i = ir_scalar_wrap(type->element, attr->value)};
    return true;
  }
  if (attr->count == 1)
    return interp_splat(interp, op, type->element, type->rank, type->shape, ir_attr_element(attr, 0), value);
  if (!interp_allocate_raw(interp, op, type->element, type->rank, type->shape, value))
    return false;
  for (unsigned i = 0; i < attr->count; i++)
    value->buffer->cells[i] = ir_attr_element(attr, i);
  return true;
}

static bool run_constant(ir_interp *interp, const ir_op *op) {
  interp_value value;
  if (!interp_constant(interp, op, op->results[0].type, ir_attr_get(op, "value"), &value))
    return false;
  return interp_give(interp, op, &value);
}

/* --------------------------------------------------------------------------------------------------- ops and blocks */

bool interp_run_op(ir_interp *interp, const ir_op *op) {
  const ir_op_info *info = ir_op_row(op);
  if (info->eval)
    return info->eval(interp, op);
  if (info->scalar)
    return run_elementwise(interp, op);
  if (ir_op_has(op, IR_STRUCTURED))
    return interp_run_structured(interp, op);
  if (ir_op_has(op, IR_CONSTANT))
    return run_constant(interp, op);
  return ir_op_error(op, "cannot run in the interpreter");
}

bool interp_run_block(ir_interp *interp, const ir_block *block) {
  if (interp->depth == MAX_DEPTH)
    return ir_op_error(block->parent, "nests more than %d blocks and calls", MAX_DEPTH);
  interp->depth++;
  bool done = true;
  for (const ir_op *op = block->first; done && op && !ir_op_has(op, IR_TERMINATOR); op = op->next) {
    done = interp_run_op(interp, op);
    interp_release_dead(interp, op);
  }
  interp->depth--;
  return done;
}

/* -------------------------------------------------------------------------------------------------------- functions */

static bool run_function(ir_interp *interp, ir_op *function, interp_value *arguments, interp_value *results) {
  ir_block *body = ir_region(function, 0);
  for (unsigned i = 0; i < body->num_args; i++)
    interp_set(interp, body->args[i], &arguments[i]);
  for (ir_op *op = ir_next_inside(function, function); op; op = ir_next_inside(function, op))
    for (unsigned i = 0; i < op->num_operands; i++) { /* ops come in order: the last one is the last user */
      const ir_value *value = ir_operand(op, i);
      interp_set_last_user(interp, value, ir_op_ancestor_in(op, value->op ? value->op->block : value->block));
    }
  if (!interp_run_block(interp, body))
    return false;
  const ir_op *terminator = body->last;
  for (unsigned i = 0; i < terminator->num_operands; i++)
    results[i] = interp_take(interp, terminator, i);
  return true;
}

/* Calls a function. The references of `arguments` are given; `results` receives references. */
static bool interp_call(ir_interp *interp, const ir_op *function, interp_value *arguments, interp_value *results) {
  if (!function->num_regions || !ir_region(function, 0)->last)
    return ir_op_error(function, "is a declaration and cannot run");
  ir_op *callee = ir_module_lookup(interp->module, ir_attr_string_or(function, "sym_name", ""));
  unsigned num_values = ir_number_values(callee);
  interp_slot *caller = interp->slots, *slots = calloc(num_values + 1, sizeof *slots);
  if (!slots)
    return ir_op_error(function, "needs more memory than there is");
  interp->slots = slots;
  bool done = run_function(interp, callee, arguments, results);
  for (unsigned i = 0; i < num_values; i++)
    interp_release(interp, &slots[i].value);
  free(slots);
  interp->slots = caller;
  return done;
}

bool eval_call(ir_interp *interp, const ir_op *op) {
  const ir_op *callee = ir_module_lookup(op->module, ir_attr_string_or(op, "callee", ""));
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_value *arguments = IR_NEW_ARRAY(&interp->scratch, interp_value, op->num_operands);
  interp_value *results = IR_NEW_ARRAY(&interp->scratch, interp_value, op->num_results);
  for (unsigned i = 0; i < op->num_operands; i++)
    arguments[i] = interp_take(interp, op, i);
  bool done = interp_call(interp, callee, arguments, results);
  for (unsigned i = 0; done && i < op->num_results; i++)
    interp_set(interp, ir_result(op, i), &results[i]);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

/* ----------------------------------------------------------------------------------------------------- control flow */

bool eval_if(ir_interp *interp, const ir_op *op) {
  const ir_block *branch = ir_region(op, interp_operand(interp, op, 0)->cell.i ? 0 : 1);
  if (!interp_run_block(interp, branch))
    return false;
  for (unsigned i = 0; i < op->num_results; i++) {
    interp_value value = interp_take(interp, branch->last, i);
    interp_set(interp, ir_result(op, i), &value);
  }
  return true;
}

/* Everything that a terminator yields, before any of it is put in place: values may trade places. */
static void take_all(ir_interp *interp, const ir_op *op, unsigned first, unsigned count, interp_value *values) {
  for (unsigned i = 0; i < count; i++)
    values[i] = interp_take(interp, op, first + i);
}

/* Those behind the counter. */
static void set_carried(ir_interp *interp, const ir_block *body, unsigned count, const interp_value *values) {
  for (unsigned i = 0; i < count; i++)
    interp_set(interp, body->args[1 + i], &values[i]);
}

static bool run_for(ir_interp *interp, const ir_op *op, interp_value *carried) {
  const ir_block *body = ir_region(op, 0);
  int64_t upper = interp_int(interp, ir_operand(op, 1)), step = interp_int(interp, ir_operand(op, 2));
  if (step <= 0)
    return ir_op_error(op, "the step is %lld, it must be positive", (long long)step);
  take_all(interp, op, 3, op->num_results, carried);
  bool more = true;
  for (int64_t i = interp_int(interp, ir_operand(op, 0)); more && i < upper;
       more = !__builtin_add_overflow(i, step, &i)) {
    interp_set_cell(interp, body->args[0], (ir_cell){.i = i});
    set_carried(interp, body, op->num_results, carried);
    if (!interp_run_block(interp, body))
      return false;
    take_all(interp, body->last, 0, op->num_results, carried);
  }
  for (unsigned i = 0; i < op->num_results; i++)
    interp_set(interp, ir_result(op, i), &carried[i]);
  return true;
}

bool eval_for(ir_interp *interp, const ir_op *op) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = run_for(interp, op, IR_NEW_ARRAY(&interp->scratch, interp_value, op->num_results));
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

/* Bounds of the loops of scf.forall as extents and steps. */
static bool forall_bounds(ir_interp *interp, const ir_op *op, unsigned rank, int64_t *lower, int64_t *step,
                          int64_t *extents) {
  for (unsigned i = 0; i < rank; i++) {
    ir_bounds bounds = ir_bounds_of(op, i);
    lower[i] = interp_index(interp, bounds.lower);
    step[i] = interp_index(interp, bounds.step);
    int64_t upper = interp_index(interp, bounds.upper), span;
    if (step[i] <= 0)
      return ir_op_error(op, "the step of loop %u is %lld, it must be positive", i, (long long)step[i]);
    if (__builtin_sub_overflow(upper, lower[i], &span))
      return ir_op_error(op, "the bounds of loop %u are too far apart", i);
    extents[i] = span <= 0 ? 0 : (span - 1) / step[i] + 1;
  }
  return true;
}

/* Each iteration sees the outputs as they were before the loop and writes to the results, which hold copies of them:
 * an iteration cannot see what another one did. */
static bool run_iterations(ir_interp *interp, const ir_op *op, interp_nest *nest, unsigned rank, const int64_t *lower,
                           const int64_t *step) {
  const ir_block *body = ir_region(op, 0);
  unsigned inner = nest->num_loops - 1;
  for (bool more = interp_nest_begin(nest); more; more = interp_nest_next(nest))
    for (int64_t point = 0; point < nest->extents[inner]; point++) {
      nest->counters[inner].i = point;
      for (unsigned i = 0; i < rank; i++)
        interp_set_cell(interp, body->args[i], (ir_cell){.i = lower[i] + nest->counters[i].i * step[i]});
      for (unsigned i = 0; i < op->num_results; i++) {
        interp_value output = *interp_get(interp, ir_loop_init(op, i));
        interp_retain(&output);
        interp_set(interp, body->args[rank + i], &output);
      }
      if (!interp_run_block(interp, body) || !interp_run_block(interp, ir_region(body->last, 0)))
        return false;
    }
  return true;
}

bool eval_forall(ir_interp *interp, const ir_op *op) {
  unsigned rank = ir_num_counters(op);
  int64_t lower[IR_MAX_LOOPS], step[IR_MAX_LOOPS], extents[IR_MAX_LOOPS];
  if (rank > IR_MAX_LOOPS || !forall_bounds(interp, op, rank, lower, step, extents))
    return false;
  for (unsigned i = 0; i < op->num_results; i++) {
    interp_value result = *interp_get(interp, ir_loop_init(op, i));
    interp_retain(&result);
    if (!interp_make_writable(interp, op, &result))
      return false;
    interp_set(interp, ir_result(op, i), &result);
  }
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, rank, extents, 0);
  bool done = run_iterations(interp, op, &nest, rank, lower, step);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

/* ----------------------------------------------------------------------------------------------------------- affine */

/* Folds the results of the op's map with `choose`. */
static bool eval_map(ir_interp *interp, const ir_op *op, bool (*replaces)(int64_t best, int64_t candidate)) {
  const ir_map *map = ir_affine_map(op);
  size_t mark = ir_arena_mark(&interp->scratch);
  int64_t *operands = IR_NEW_ARRAY(&interp->scratch, int64_t, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = interp_operand(interp, op, i)->cell.i;
  int64_t best = 0;
  for (unsigned i = 0; i < map->num_results; i++) {
    int64_t candidate = ir_expr_eval(map->results[i], map->num_dims, operands);
    if (!i || replaces(best, candidate))
      best = candidate;
  }
  ir_arena_rewind(&interp->scratch, mark);
  interp_set_cell(interp, ir_result(op, 0), (ir_cell){.i = best});
  return true;
}

static bool is_smaller(int64_t best, int64_t candidate) { return candidate < best; }
static bool is_larger(int64_t best, int64_t candidate) { return candidate > best; }

bool eval_affine_apply(ir_interp *interp, const ir_op *op) { return eval_map(interp, op, is_smaller); }
bool eval_affine_min(ir_interp *interp, const ir_op *op) { return eval_map(interp, op, is_smaller); }
bool eval_affine_max(ir_interp *interp, const ir_op *op) { return eval_map(interp, op, is_larger); }

/* -------------------------------------------------------------------------------------------------------- interface */

bool ir_tensor_allocate(ir_tensor *tensor) {
  int64_t count = 1;
  for (unsigned i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] < 0 || __builtin_mul_overflow(count, tensor->shape[i], &count))
      return false;
  tensor->cells = calloc((size_t)count + !count, sizeof *tensor->cells);
  return tensor->cells;
}

void ir_tensor_release(ir_tensor *tensor) {
  free(tensor->cells);
  tensor->cells = NULL;
}

static bool check_argument(const ir_op *function, unsigned i, const ir_type *type, const ir_tensor *tensor) {
  if (tensor->element != type->element || tensor->rank != type->rank)
    return ir_op_error(function, "argument %u must have rank %u and element type %s, not rank %u and %s", i, type->rank,
                       ir_scalar_name(type->element), tensor->rank, ir_scalar_name(tensor->element));
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (tensor->shape[dim] < 0 || (type->shape[dim] != IR_DYNAMIC && type->shape[dim] != tensor->shape[dim]))
      return ir_op_error(function, "argument %u has extent %lld in dim %u, its type says %lld", i,
                         (long long)tensor->shape[dim], dim, (long long)type->shape[dim]);
  return true;
}

/* Shows the caller's cells as values. Tensors get a second reference: nobody writes to them. */
static bool set_inputs(ir_interp *interp, const ir_op *function, ir_tensor *arguments, interp_value *values) {
  const ir_block *body = ir_region(function, 0);
  for (unsigned i = 0; i < body->num_args; i++) {
    const ir_type *type = body->args[i]->type;
    if (!check_argument(function, i, type, &arguments[i]) ||
        !interp_borrow(interp, function, &arguments[i], &values[i]))
      return false;
    if (!ir_scalar_is_float(type->element))
      for (int64_t k = 0; k < values[i].buffer->count; k++)
        arguments[i].cells[k].i = ir_scalar_wrap(type->element, arguments[i].cells[k].i);
    if (type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_VECTOR || type->kind == IR_TYPE_TILE)
      interp_retain(&values[i]);
    else if (type->kind == IR_TYPE_SCALAR)
      values[i] = (interp_value){.element = type->element, .cell = arguments[i].cells[0]};
  }
  return true;
}

static bool get_results(ir_interp *interp, const ir_op *function, unsigned count, interp_value *values,
                        ir_tensor *results) {
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  for (unsigned i = 0; i < count; i++) {
    ir_tensor tensor = {.element = type->results[i]->element, .rank = values[i].rank};
    memcpy(tensor.shape, values[i].shape, sizeof tensor.shape);
    if (!ir_tensor_allocate(&tensor))
      return ir_op_error(function, "needs more memory than there is");
    results[i] = tensor;
    interp_value dense;
    if (!values[i].buffer)
      tensor.cells[0] = values[i].cell;
    else if (!interp_borrow(interp, function, &tensor, &dense) || !interp_copy(interp, function, &dense, &values[i]))
      return false;
  }
  return true;
}

static bool interpret(ir_interp *interp, const ir_op *function, ir_tensor *arguments, unsigned num_results,
                      ir_tensor *results) {
  unsigned num_arguments = ir_region(function, 0)->num_args;
  interp_value *inputs = IR_NEW_ARRAY(&interp->scratch, interp_value, num_arguments);
  interp_value *outputs = IR_NEW_ARRAY(&interp->scratch, interp_value, num_results);
  return set_inputs(interp, function, arguments, inputs) && interp_call(interp, function, inputs, outputs) &&
         get_results(interp, function, num_results, outputs, results);
}

bool ir_interpret(ir_module *module, const char *name, ir_precision precision, unsigned num_arguments,
                  ir_tensor *arguments, unsigned num_results, ir_tensor *results) {
  const ir_op *function = ir_module_lookup(module, name);
  if (!function || function->code != OP_FUNC_FUNC || !ir_region(function, 0)->last)
    return ir_error(module, (ir_loc){0}, "there is no function '%s' to run", name);
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  if (num_arguments != type->num_inputs || num_results != type->num_results)
    return ir_op_error(function, "has %u arguments and %u results, not %u and %u", type->num_inputs, type->num_results,
                       num_arguments, num_results);
  for (unsigned i = 0; i < num_results; i++)
    results[i] = (ir_tensor){0};
  ir_interp interp = {.module = module, .precision = precision};
  interp.max_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  if (!ir_arena_init(&interp.scratch))
    return ir_op_error(function, "needs more memory than there is");
  bool done = interpret(&interp, function, arguments, num_results, results);
  for (unsigned i = 0; !done && i < num_results; i++)
    ir_tensor_release(&results[i]);
  interp_release_all(&interp);
  ir_arena_release(&interp.scratch);
  return done;
}
