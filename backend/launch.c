/* launch.c - see launch.h. Each op is visited once a call, calls nest at most MAX_DEPTH deep, and the numbers of values
 * and launches are limited, so the walk ends. */
#include "backend/launch.h"

#include "backend/llvm.h"

enum { MAX_DEPTH = 64, MAX_LAUNCHES = 4096, MAX_VALUES = 1 << 20, WORKSPACE_ALIGNMENT = 256 };

/* -------------------------------------------------------------------------------------------------- size arithmetic */

static uint32_t add_value(launch_plan *plan, program_value value) {
  IR_PUSH(&plan->module->arena, plan->values, plan->num_values, plan->values_capacity) = value;
  return plan->num_values - 1;
}

uint32_t launch_constant(launch_plan *plan, int64_t value) {
  return add_value(plan, (program_value){.operation = PROGRAM_CONSTANT, .constant = value});
}

bool launch_is_constant(const launch_plan *plan, uint32_t number, int64_t *value) {
  *value = plan->values[number].constant;
  return plan->values[number].operation == PROGRAM_CONSTANT;
}

uint32_t launch_binary(launch_plan *plan, program_operation operation, uint32_t lhs, uint32_t rhs) {
  int64_t a, b;
  bool known_a = launch_is_constant(plan, lhs, &a), known_b = launch_is_constant(plan, rhs, &b);
  int64_t folded = known_a && known_b ? program_operate(operation, a, b) : PROGRAM_UNDEFINED;
  if (folded != PROGRAM_UNDEFINED)
    return launch_constant(plan, folded);
  bool sum = operation == PROGRAM_ADD, product = operation == PROGRAM_MUL;
  if (known_b && (((sum || operation == PROGRAM_SUB) && !b) ||
                  ((product || operation == PROGRAM_FLOORDIV || operation == PROGRAM_CEILDIV) && b == 1)))
    return lhs;
  if (known_a && ((sum && !a) || (product && a == 1)))
    return rhs;
  return add_value(plan, (program_value){.operation = operation, .operands = {lhs, rhs}});
}

static uint32_t equals_zero(launch_plan *plan, uint32_t value) {
  return launch_binary(plan, PROGRAM_EQUAL, value, launch_constant(plan, 0));
}

static uint32_t evaluate(launch_plan *plan, const ir_op *op, const ir_expr *expr, const uint32_t *operands) {
  static const program_operation operations[] = {[IR_EXPR_ADD] = PROGRAM_ADD,
                                                 [IR_EXPR_MUL] = PROGRAM_MUL,
                                                 [IR_EXPR_FLOORDIV] = PROGRAM_FLOORDIV,
                                                 [IR_EXPR_CEILDIV] = PROGRAM_CEILDIV,
                                                 [IR_EXPR_MOD] = PROGRAM_MOD};
  if (expr->kind == IR_EXPR_CONST)
    return launch_constant(plan, expr->value);
  if (!expr->lhs)
    return operands[ir_affine_operand(op, expr)];
  uint32_t lhs = evaluate(plan, op, expr->lhs, operands), rhs = evaluate(plan, op, expr->rhs, operands);
  return launch_binary(plan, operations[expr->kind], lhs, rhs);
}

/* ------------------------------------------------------------------------------------------------------- SSA values */

static unsigned slot_of(const ir_value *value) {
  return value->op ? value->op->mark + value->index : value->block->parent->mark + value->index;
}

const launch_value *launch_get(const launch_plan *plan, const ir_value *value) { return &plan->slots[slot_of(value)]; }

static void set(launch_plan *plan, const ir_value *value, launch_value to) { plan->slots[slot_of(value)] = to; }

static void set_size(launch_plan *plan, const ir_op *op, uint32_t size) {
  set(plan, ir_result(op, 0), (launch_value){.kind = LAUNCH_SIZE, .size = size});
}

/* Unknown slots for results or arguments. */
static uint32_t new_slots(launch_plan *plan, unsigned count) {
  unsigned first = plan->num_slots;
  for (unsigned i = 0; i < count; i++)
    IR_PUSH(&plan->module->arena, plan->slots, plan->num_slots, plan->slots_capacity) =
        (launch_value){.kind = LAUNCH_UNKNOWN};
  return first;
}

bool launch_index(launch_plan *plan, ir_index index, uint32_t *number) {
  if (!index.value) {
    *number = launch_constant(plan, index.constant);
    return true;
  }
  const launch_value *value = launch_get(plan, index.value);
  *number = value->size;
  return value->kind == LAUNCH_SIZE;
}

/* Sizes of all operands. */
static bool operand_sizes(launch_plan *plan, const ir_op *op, uint32_t *sizes) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!launch_index(plan, (ir_index){.value = ir_operand(op, i)}, &sizes[i]))
      return false;
  return true;
}

static uint32_t *new_dims(launch_plan *plan, unsigned rank) {
  return IR_NEW_ARRAY(&plan->module->arena, uint32_t, 2 * rank + 1);
}

/* Row-major strides behind the sizes; the number of elements. */
static uint32_t row_major(launch_plan *plan, unsigned rank, uint32_t *dims) {
  uint32_t stride = launch_constant(plan, 1);
  for (unsigned i = rank; i-- > 0;) {
    dims[rank + i] = stride;
    stride = launch_binary(plan, PROGRAM_MUL, stride, dims[i]);
  }
  return stride;
}

/* --------------------------------------------------------------------------------------------------------------- ops
 * A hook gives its results a value where it can. */

typedef void launch_hook(launch_plan *plan, const ir_op *op);

static void launch_arith_constant(launch_plan *plan, const ir_op *op) {
  const ir_attr *attr = ir_attr_get(op, "value");
  if (ir_result(op, 0)->type->kind == IR_TYPE_SCALAR && attr->kind != IR_ATTR_FLOAT)
    set_size(plan, op, launch_constant(plan, attr->value & (attr->type && attr->type->element == IR_I1 ? 1 : -1)));
}

/* What the op does with its operands, or, of affine ops, with the results of its map. */
static const program_operation operations_of[IR_NUM_OPCODES] = {
    [OP_ARITH_ADDI] = PROGRAM_ADD,          [OP_ARITH_SUBI] = PROGRAM_SUB,
    [OP_ARITH_MULI] = PROGRAM_MUL,          [OP_ARITH_FLOORDIVSI] = PROGRAM_FLOORDIV,
    [OP_ARITH_CEILDIVSI] = PROGRAM_CEILDIV, [OP_ARITH_MINSI] = PROGRAM_MIN,
    [OP_ARITH_MAXSI] = PROGRAM_MAX,         [OP_ARITH_ANDI] = PROGRAM_MIN,
    [OP_ARITH_ORI] = PROGRAM_MAX,           [OP_AFFINE_MIN] = PROGRAM_MIN,
    [OP_AFFINE_MAX] = PROGRAM_MAX};

/* Truth values are combined only: as integers, 1 of them is -1. */
static void launch_arithmetic(launch_plan *plan, const ir_op *op) {
  uint32_t sizes[2];
  bool is_logical = op->code == OP_ARITH_ANDI || op->code == OP_ARITH_ORI;
  if ((ir_result(op, 0)->type->element == IR_I1) == is_logical && operand_sizes(plan, op, sizes))
    set_size(plan, op, launch_binary(plan, operations_of[op->code], sizes[0], sizes[1]));
}

/* The quotient rounded towards 0, and what it leaves: down where it is not below 0, else up. */
static void launch_divsi(launch_plan *plan, const ir_op *op) {
  uint32_t x[2];
  if (!operand_sizes(plan, op, x))
    return;
  uint32_t up = launch_binary(plan, PROGRAM_CEILDIV, x[0], x[1]), zero = launch_constant(plan, 0);
  uint32_t quotient = launch_binary(plan, PROGRAM_MAX, launch_binary(plan, PROGRAM_FLOORDIV, x[0], x[1]),
                                    launch_binary(plan, PROGRAM_MIN, up, zero));
  if (op->code == OP_ARITH_REMSI)
    quotient = launch_binary(plan, PROGRAM_SUB, x[0], launch_binary(plan, PROGRAM_MUL, quotient, x[1]));
  set_size(plan, op, quotient);
}

static void launch_cmpi(launch_plan *plan, const ir_op *op) {
  uint32_t x[2];
  ir_predicate predicate = ir_predicate_of(op);
  if (predicate >= IR_UNSIGNED_LESS || !operand_sizes(plan, op, x))
    return;
  bool swapped = predicate == IR_SIGNED_LESS_EQUAL || predicate == IR_SIGNED_GREATER;
  bool inverted =
      predicate == IR_NOT_EQUAL || predicate == IR_SIGNED_LESS_EQUAL || predicate == IR_SIGNED_GREATER_EQUAL;
  program_operation operation = predicate <= IR_NOT_EQUAL ? PROGRAM_EQUAL : PROGRAM_LESS;
  uint32_t holds = launch_binary(plan, operation, x[swapped], x[!swapped]);
  set_size(plan, op, inverted ? equals_zero(plan, holds) : holds);
}

static void launch_cast_size(launch_plan *plan, const ir_op *op) {
  uint32_t size;
  bool is_truth = ir_operand(op, 0)->type->element == IR_I1 || ir_result(op, 0)->type->element == IR_I1;
  if (!is_truth && operand_sizes(plan, op, &size))
    set_size(plan, op, size);
}

/* Sizes are numbers of 64 bits: of one that is computed as an integer of fewer, the lowest count. */
static void wrap_around(launch_plan *plan, const ir_op *op) {
  const ir_value *result = ir_result(op, 0);
  unsigned bits = result->type->kind == IR_TYPE_SCALAR ? ir_scalar_bits(result->type->element) : 64;
  const launch_value *value = launch_get(plan, result);
  if (value->kind != LAUNCH_SIZE || bits == 1 || bits >= 64 || ir_is_exact(result))
    return;
  uint32_t half = launch_constant(plan, INT64_C(1) << (bits - 1)), all = launch_constant(plan, INT64_C(1) << bits);
  uint32_t size = value->size, sum = launch_binary(plan, PROGRAM_ADD, size, half);
  uint32_t lost = launch_binary(plan, PROGRAM_MUL, launch_binary(plan, PROGRAM_FLOORDIV, sum, all), all);
  set_size(plan, op, launch_binary(plan, PROGRAM_SUB, size, lost));
}

static void launch_select(launch_plan *plan, const ir_op *op) {
  uint32_t x[3];
  if (operand_sizes(plan, op, x))
    set_size(plan, op, add_value(plan, (program_value){.operation = PROGRAM_SELECT, .operands = {x[0], x[1], x[2]}}));
}

/* The results of a map, combined where there are several. */
static void launch_map(launch_plan *plan, const ir_op *op) {
  const ir_map *map = ir_affine_map(op);
  uint32_t *operands = IR_NEW_ARRAY(&plan->module->arena, uint32_t, op->num_operands + 1), result = 0;
  if (!operand_sizes(plan, op, operands))
    return;
  for (unsigned i = 0; i < map->num_results; i++) {
    uint32_t value = evaluate(plan, op, map->results[i], operands);
    result = i ? launch_binary(plan, operations_of[op->code], result, value) : value;
  }
  set_size(plan, op, result);
}

static void launch_dim(launch_plan *plan, const ir_op *op) {
  const launch_value *memref = launch_get(plan, ir_operand(op, 0));
  unsigned dim;
  if (memref->kind == LAUNCH_MEMREF && ir_is_dim(op, &dim))
    set_size(plan, op, memref->dims[dim]);
}

static void launch_alloc(launch_plan *plan, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  uint32_t *dims = new_dims(plan, type->rank);
  ir_index sizes[IR_MAX_RANK];
  ir_spelled_extents(op, 0, sizes);
  for (unsigned i = 0; i < type->rank; i++)
    if (!launch_index(plan, sizes[i], &dims[i]))
      return;
  uint32_t count = row_major(plan, type->rank, dims), unit = launch_constant(plan, WORKSPACE_ALIGNMENT);
  uint32_t bytes = launch_binary(plan, PROGRAM_MUL, count, launch_constant(plan, ir_scalar_bytes(type->element)));
  bytes = launch_binary(plan, PROGRAM_MUL, launch_binary(plan, PROGRAM_CEILDIV, bytes, unit), unit);
  set(plan, ir_result(op, 0),
      (launch_value){.kind = LAUNCH_MEMREF, .base = PROGRAM_WORKSPACE, .offset = plan->workspace, .dims = dims});
  plan->workspace = launch_binary(plan, PROGRAM_ADD, plan->workspace, bytes);
}

static void launch_subview(launch_plan *plan, const ir_op *op) {
  launch_value view = *launch_get(plan, ir_operand(op, 0));
  const ir_type *type = ir_operand(op, 0)->type;
  ir_slice slice = ir_slice_of(op);
  bool kept[IR_MAX_RANK];
  if (view.kind != LAUNCH_MEMREF || !emit_kept_dims(op, kept))
    return;
  const uint32_t *strides = view.dims + type->rank;
  unsigned rank = ir_result(op, 0)->type->rank, next = 0;
  uint32_t bytes = launch_constant(plan, ir_scalar_bytes(type->element)), offset, step;
  uint32_t *dims = new_dims(plan, rank);
  for (unsigned i = 0; i < type->rank; i++) {
    if (!launch_index(plan, slice.offsets[i], &offset) || !launch_index(plan, slice.strides[i], &step))
      return;
    offset = launch_binary(plan, PROGRAM_MUL, launch_binary(plan, PROGRAM_MUL, offset, strides[i]), bytes);
    view.offset = launch_binary(plan, PROGRAM_ADD, view.offset, offset);
    if (!kept[i])
      continue;
    if (!launch_index(plan, slice.sizes[i], &dims[next]))
      return;
    dims[rank + next++] = launch_binary(plan, PROGRAM_MUL, step, strides[i]);
  }
  view.dims = dims;
  set(plan, ir_result(op, 0), view);
}

static void launch_cast(launch_plan *plan, const ir_op *op) {
  set(plan, ir_result(op, 0), *launch_get(plan, ir_operand(op, 0)));
}

static void launch_expand_shape(launch_plan *plan, const ir_op *op) {
  launch_value view = *launch_get(plan, ir_operand(op, 0));
  unsigned rank = ir_result(op, 0)->type->rank, source_rank = ir_operand(op, 0)->type->rank;
  uint32_t *dims = new_dims(plan, rank), one = launch_constant(plan, 1);
  if (view.kind != LAUNCH_MEMREF)
    return;
  for (unsigned i = 0; i < rank; i++) {
    dims[rank + i] = one;
    if (!launch_index(plan, ir_mixed(op, 1, "static_output_shape", i), &dims[i]))
      return;
  }
  for (unsigned i = 0; i < source_rank; i++) {
    uint32_t stride = view.dims[source_rank + i];
    ir_dims parts = ir_dims_of(op, i);
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      dims[rank + dim] = stride;
      stride = launch_binary(plan, PROGRAM_MUL, stride, dims[dim]);
    }
  }
  view.dims = dims;
  set(plan, ir_result(op, 0), view);
}

/* A merged dim has the stride of its last dim that is longer than 1. */
static void launch_collapse_shape(launch_plan *plan, const ir_op *op) {
  launch_value view = *launch_get(plan, ir_operand(op, 0));
  const ir_type *type = ir_operand(op, 0)->type;
  unsigned rank = ir_result(op, 0)->type->rank;
  if (view.kind != LAUNCH_MEMREF)
    return;
  uint32_t *dims = new_dims(plan, rank);
  for (unsigned i = 0; i < rank; i++) {
    ir_dims parts = ir_dims_of(op, i);
    uint32_t size = launch_constant(plan, 1), stride = size;
    bool found = false;
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      size = launch_binary(plan, PROGRAM_MUL, size, view.dims[dim]);
      if (!found)
        stride = view.dims[type->rank + dim];
      found |= type->shape[dim] != 1;
    }
    dims[i] = size;
    dims[rank + i] = stride;
  }
  view.dims = dims;
  set(plan, ir_result(op, 0), view);
}

static launch_hook *const hooks[IR_NUM_OPCODES] = {
    [OP_ARITH_CONSTANT] = launch_arith_constant,
    [OP_ARITH_ADDI] = launch_arithmetic,
    [OP_ARITH_SUBI] = launch_arithmetic,
    [OP_ARITH_MULI] = launch_arithmetic,
    [OP_ARITH_FLOORDIVSI] = launch_arithmetic,
    [OP_ARITH_CEILDIVSI] = launch_arithmetic,
    [OP_ARITH_DIVSI] = launch_divsi,
    [OP_ARITH_REMSI] = launch_divsi,
    [OP_ARITH_MINSI] = launch_arithmetic,
    [OP_ARITH_MAXSI] = launch_arithmetic,
    [OP_ARITH_ANDI] = launch_arithmetic,
    [OP_ARITH_ORI] = launch_arithmetic,
    [OP_ARITH_CMPI] = launch_cmpi,
    [OP_ARITH_INDEX_CAST] = launch_cast_size,
    [OP_ARITH_EXTSI] = launch_cast_size,
    [OP_ARITH_TRUNCI] = launch_cast_size,
    [OP_ARITH_SELECT] = launch_select,
    [OP_AFFINE_APPLY] = launch_map,
    [OP_AFFINE_MIN] = launch_map,
    [OP_AFFINE_MAX] = launch_map,
    [OP_MEMREF_DIM] = launch_dim,
    [OP_MEMREF_ALLOC] = launch_alloc,
    [OP_MEMREF_SUBVIEW] = launch_subview,
    [OP_MEMREF_CAST] = launch_cast,
    [OP_MEMREF_EXPAND_SHAPE] = launch_expand_shape,
    [OP_MEMREF_COLLAPSE_SHAPE] = launch_collapse_shape,
};

/* -------------------------------------------------------------------------------------------------------- functions */

typedef struct walker {
  launch_plan *plan;
  launch_kernel *kernel;
  void *data;
} walker;

static bool run_function(const walker *w, ir_op *function, const launch_value *arguments, launch_value *results);

static bool run_call(const walker *w, ir_op *op) {
  launch_plan *plan = w->plan;
  ir_op *callee = ir_module_lookup(plan->module, ir_attr_string_or(op, "callee", ""));
  if (!callee || !ir_is_defined_function(callee))
    return ir_op_error(op, "calls '%s', which has no body", ir_attr_string_or(op, "callee", ""));
  if (plan->depth == MAX_DEPTH)
    return ir_op_error(op, "nests more than %d calls", MAX_DEPTH);
  launch_value *arguments = IR_NEW_ARRAY(&plan->module->arena, launch_value, op->num_operands + 1);
  launch_value *results = IR_NEW_ARRAY(&plan->module->arena, launch_value, op->num_results + 1);
  for (unsigned i = 0; i < op->num_operands; i++)
    arguments[i] = *launch_get(plan, ir_operand(op, i));
  plan->depth++;
  bool ok = run_function(w, callee, arguments, results);
  plan->depth--;
  for (unsigned i = 0; ok && i < op->num_results; i++)
    set(plan, ir_result(op, i), results[i]);
  return ok;
}

/* Without it the kernels would see other memory. Destination-style ops are pure on tensors only. */
static bool has_effect(const ir_op *op) {
  bool writes = ir_op_has(op, IR_DPS) && op->num_results < ir_num_inits(op);
  return writes || (!ir_op_has(op, IR_PURE) && !ir_op_has(op, IR_TERMINATOR) && op->code != OP_MEMREF_DEALLOC);
}

static bool run_op(const walker *w, ir_op *op) {
  launch_plan *plan = w->plan;
  if (plan->num_values > MAX_VALUES || plan->num_launches > MAX_LAUNCHES)
    return ir_op_error(op, "makes this function too long to be launched");
  op->mark = new_slots(plan, op->num_results);
  if (op->code == OP_FUNC_CALL)
    return run_call(w, op);
  if (op->code == OP_SCF_FORALL && w->kernel)
    return w->kernel(w->data, plan, op);
  bool integers = true;
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = ir_result(op, i)->type;
    integers &= type->kind == IR_TYPE_MEMREF || (type->kind == IR_TYPE_SCALAR && !ir_scalar_is_float(type->element));
  }
  if (hooks[op->code] && integers) {
    hooks[op->code](plan, op);
    wrap_around(plan, op);
  } else if (has_effect(op))
    return ir_op_error(op, "stands outside of kernels (scf.forall), where only sizes can be computed");
  return plan->module->num_errors == 0;
}

static bool run_function(const walker *w, ir_op *function, const launch_value *arguments, launch_value *results) {
  ir_block *body = ir_region(function, 0);
  function->mark = new_slots(w->plan, body->num_args);
  for (unsigned i = 0; i < body->num_args; i++)
    set(w->plan, body->args[i], arguments[i]);
  for (ir_op *op = body->first; op; op = op->next)
    if (!run_op(w, op))
      return false;
  const ir_op *end = ir_block_terminator(body);
  for (unsigned i = 0; i < end->num_operands; i++)
    results[i] = *launch_get(w->plan, ir_operand(end, i));
  return true;
}

/* Shows the op that the function, from extents of arguments to those of results, could not do without. */
static bool refuse_shapes(ir_op *shapes) {
  for (ir_op *op = ir_region(shapes, 0)->first; op; op = op->next)
    if (!hooks[op->code] && !ir_op_has(op, IR_TERMINATOR) && op->code != OP_FUNC_CALL)
      return ir_op_error(
          op,
          "computes a size or a position, which GPUs are told before kernels run, in a way that is not known there");
  return ir_op_error(shapes, "serves as tec.shapes, so it must compute sizes from sizes alone");
}

/* What the function named by `tec.shapes` computes from the extents of the arguments: where they do not fit together,
 * then the extents of the results. Without one there are no results. */
static bool run_shapes(launch_plan *plan, const ir_op *function, program_routine *routine, unsigned *num_extents) {
  const char *name = ir_attr_string_or(function, "tec.shapes", NULL);
  *num_extents = 0;
  routine->misfit = launch_constant(plan, 0);
  if (!name)
    return true;
  ir_op *shapes = ir_module_lookup(plan->module, name);
  if (!shapes || !ir_is_defined_function(shapes))
    return ir_op_error(function, "names '%s' in tec.shapes, which has no body", name);
  const ir_type *type = ir_attr_get(shapes, "function_type")->type;
  launch_value *extents = IR_NEW_ARRAY(&plan->module->arena, launch_value, type->num_inputs + 1);
  launch_value *results = IR_NEW_ARRAY(&plan->module->arena, launch_value, type->num_results + 1);
  uint32_t *numbers = IR_NEW_ARRAY(&plan->module->arena, uint32_t, type->num_results + 1);
  unsigned num_positions = 0;
  const int64_t *positions = ir_attr_i64s_of(function, "tec.positions", &num_positions);
  if (num_positions > type->num_inputs)
    return ir_op_error(shapes, "serves as tec.shapes, but takes fewer numbers than tec.positions lists");
  *num_extents = type->num_inputs - num_positions;
  for (unsigned i = 0; i < type->num_inputs; i++) {
    program_value value = {.operation = PROGRAM_EXTENT, .constant = i};
    if (i >= *num_extents)
      value = (program_value){.operation = PROGRAM_INTEGER, .constant = positions[i - *num_extents]};
    extents[i] = (launch_value){.kind = LAUNCH_SIZE, .size = add_value(plan, value)};
  }
  if (!run_function(&(walker){.plan = plan}, shapes, extents, results))
    return false;
  for (unsigned i = 0; i < type->num_results; i++) {
    if (results[i].kind != LAUNCH_SIZE)
      return refuse_shapes(shapes);
    numbers[i] = results[i].size;
  }
  if (!type->num_results)
    return ir_op_error(shapes, "serves as tec.shapes, so its first result must tell where the extents do not fit");
  routine->misfit = numbers[0];
  routine->extents = numbers + 1;
  routine->num_extents = type->num_results - 1;
  return true;
}

/* The arguments of an entry: those of the user, whose extents are numbered, then the results, whose extents are
 * computed. Without results all are the user's. */
static bool bind_arguments(launch_plan *plan, const ir_op *function, const program_routine *routine,
                           unsigned num_extents, launch_value *arguments) {
  const ir_block *body = ir_region(function, 0);
  unsigned extent = 0, computed = 0;
  for (unsigned i = 0; i < body->num_args; i++) {
    const ir_type *type = body->args[i]->type;
    arguments[i] = (launch_value){.kind = LAUNCH_SCALAR, .base = PROGRAM_TENSOR, .tensor = i};
    if (type->kind == IR_TYPE_SCALAR)
      continue;
    if (type->kind != IR_TYPE_MEMREF)
      return ir_op_error(function, "is public, but argument %u is neither a memref nor a scalar", i);
    launch_value *memref = &arguments[i];
    memref->kind = LAUNCH_MEMREF;
    memref->offset = launch_constant(plan, 0);
    memref->dims = new_dims(plan, type->rank);
    bool is_result = routine->num_extents && extent + type->rank > num_extents;
    if (is_result && computed + type->rank > routine->num_extents)
      return ir_op_error(function, "has more results than its tec.shapes computes extents for");
    for (unsigned d = 0; d < type->rank; d++)
      memref->dims[d] = type->shape[d] != IR_DYNAMIC ? launch_constant(plan, type->shape[d])
                        : is_result
                            ? routine->extents[computed + d]
                            : add_value(plan, (program_value){.operation = PROGRAM_EXTENT, .constant = extent + d});
    row_major(plan, type->rank, memref->dims);
    *(is_result ? &computed : &extent) += type->rank;
  }
  return true;
}

void launch_plan_init(launch_plan *plan, ir_module *module) {
  *plan = (launch_plan){.module = module};
  plan->workspace = launch_constant(plan, 0);
}

void launch_add(launch_plan *plan, const program_launch *launch) {
  IR_PUSH(&plan->module->arena, plan->launches, plan->num_launches, plan->launches_capacity) = *launch;
}

bool launch_entry(launch_plan *plan, ir_op *function, launch_kernel *kernel, void *data, program_routine *routine) {
  unsigned num_extents, count = ir_region(function, 0)->num_args;
  launch_value *arguments = IR_NEW_ARRAY(&plan->module->arena, launch_value, count + 1);
  const ir_op *end = ir_block_terminator(ir_region(function, 0));
  *routine = (program_routine){0};
  if (end->num_operands)
    return ir_op_error(function, "returns a value, but kernels give their results in memory");
  if (!run_shapes(plan, function, routine, &num_extents) ||
      !bind_arguments(plan, function, routine, num_extents, arguments) ||
      !run_function(&(walker){plan, kernel, data}, function, arguments, NULL))
    return false;
  routine->values = plan->values;
  routine->num_values = plan->num_values;
  routine->workspace_bytes = plan->workspace;
  routine->launches = plan->launches;
  routine->num_launches = plan->num_launches;
  return true;
}
