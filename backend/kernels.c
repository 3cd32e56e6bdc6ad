/* kernels.c - kernels and their launches from functions; see kernels.h.
 *
 * A kernel's parameters are what the loop uses from outside and what is not a constant: addresses, dynamic sizes and
 * strides, scalars. Other pure values (constants of any type, arithmetic on scalar arguments) are computed again in
 * each kernel. The last dim of the loop runs along x, the one before along y, all others along z. Each memref.alloca in
 * memory that lanes share has its own place there.
 * Terminates: each op is emitted once a kernel, plus the pure ops around it that it needs. */
#include "backend/kernels.h"
#include "backend/cpu.h"
#include "backend/launch.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LOCAL_BYTES = 16 << 10 };

/* One emission. */
typedef struct kernels {
  emitter *e;
  const kernel_target *target;
  uint64_t shared_bytes; /* of the kernel being emitted */
  const char *function;  /* the entry whose kernels are being emitted */
  unsigned num_kernels;  /* of that entry */
} kernels;

LLVMValueRef kernels_share(emitter *e, const ir_op *op, uint64_t bytes) {
  kernels *k = e->target_state;
  uint64_t offset = k->shared_bytes, unit = kernels_shared_alignment(e->facts);
  if (bytes > e->facts->shared_bytes || offset + bytes > e->facts->shared_bytes) {
    ir_op_error(op, "needs %llu bytes of shared memory after %llu of others, but %s has %llu",
                (unsigned long long)bytes, (unsigned long long)offset, e->facts->name,
                (unsigned long long)e->facts->shared_bytes);
    return NULL;
  }
  k->shared_bytes = (offset + bytes + unit - 1) / unit * unit;
  return k->target->place_shared(e, offset, bytes);
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static bool check_op(const ir_op *op, uint64_t *local_bytes) {
  if (op->code == OP_MEMREF_ALLOC || op->code == OP_MEMREF_DEALLOC || op->code == OP_FUNC_CALL)
    return ir_op_error(op, "cannot be in a kernel");
  if (op->code != OP_MEMREF_ALLOCA || ir_result(op, 0)->type->space == IR_SPACE_WORKGROUP)
    return true;
  int64_t bytes = ir_type_bytes(ir_result(op, 0)->type);
  *local_bytes += bytes < 0 ? MAX_LOCAL_BYTES + 1 : (uint64_t)bytes;
  return *local_bytes <= MAX_LOCAL_BYTES ||
         ir_op_error(op, "gives each lane more than %d bytes of memory, or a size that is not known", MAX_LOCAL_BYTES);
}

/* What the emitter's hooks rely on. */
static bool check_kernel(emitter *e, const ir_op *op) {
  uint64_t local_bytes = 0;
  int64_t threads = ir_attr_int_or(op, "tec.threads", 1);
  if (threads < 1 || threads > e->facts->max_block_threads)
    return ir_op_error(op, "has tec.threads = %lld; %s takes 1 to %u", (long long)threads, e->facts->name,
                       e->facts->max_block_threads);
  if (op->num_results || ir_region(ir_block_terminator(ir_region(op, 0)), 0)->first)
    return ir_op_error(op, "still yields tensors; kernels take buffers");
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    if (!check_op(inner, &local_bytes))
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------- parameters */

/* The parameters of a kernel as they are found. */
typedef struct parameters {
  launch_plan *plan;
  emitter *e;
  program_argument *arguments;
  LLVMTypeRef *types;
  unsigned count;
  size_t arguments_capacity, types_capacity;
} parameters;

static void add_parameter(parameters *p, LLVMTypeRef type, program_argument argument) {
  p->arguments =
      ir_arena_grow(&p->plan->module->arena, p->arguments, sizeof *p->arguments, p->count, &p->arguments_capacity);
  p->types = ir_arena_grow(&p->e->arena, p->types, sizeof *p->types, p->count, &p->types_capacity);
  p->arguments[p->count] = argument;
  p->types[p->count++] = type;
}

/* The parameter that holds a size; p->count if none does yet. */
static unsigned find_size(const parameters *p, uint32_t size) {
  unsigned i = 0;
  while (i < p->count && (p->arguments[i].kind != PROGRAM_SIZE || p->arguments[i].value != size))
    i++;
  return i;
}

/* A size is a parameter, once, unless it is a constant. */
static void add_size(parameters *p, uint32_t size) {
  int64_t constant;
  if (!launch_is_constant(p->plan, size, &constant) && find_size(p, size) == p->count)
    add_parameter(p, LLVMInt64TypeInContext(p->e->context), (program_argument){.kind = PROGRAM_SIZE, .value = size});
}

static void add_value(parameters *p, const ir_value *value, unsigned space) {
  const launch_value *known = launch_get(p->plan, value);
  switch (known->kind) {
  case LAUNCH_SIZE:
    add_size(p, known->size);
    return;
  case LAUNCH_SCALAR:
    add_parameter(p, emit_memory_type(p->e, value->type->element),
                  (program_argument){.kind = PROGRAM_SCALAR, .tensor = known->tensor});
    return;
  case LAUNCH_MEMREF:
    add_parameter(p, LLVMPointerTypeInContext(p->e->context, space),
                  (program_argument){.kind = known->base, .tensor = known->tensor, .value = known->offset});
    for (unsigned i = 0; i < 2u * value->type->rank; i++)
      add_size(p, known->dims[i]);
    return;
  case LAUNCH_UNKNOWN:
    return; /* computed again */
  }
}

static LLVMValueRef read_size(const parameters *p, uint32_t size) {
  int64_t constant;
  if (launch_is_constant(p->plan, size, &constant))
    return emit_index(p->e, constant);
  return LLVMGetParam(p->e->function, find_size(p, size));
}

/* Addresses and scalars were added in the order in which they are bound: *next is where to look for the next. */
static LLVMValueRef read_next(const parameters *p, unsigned *next) {
  while (p->arguments[*next].kind == PROGRAM_SIZE)
    ++*next;
  return LLVMGetParam(p->e->function, (*next)++);
}

static void bind_value(const parameters *p, const ir_value *value, unsigned *next) {
  emitter *e = p->e;
  const launch_value *known = launch_get(p->plan, value);
  const ir_type *type = value->type;
  if (known->kind == LAUNCH_MEMREF) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, e->target->memory_space);
    LLVMValueRef address = LLVMBuildAddrSpaceCast(e->builder, read_next(p, next), pointer, ""), dims[2 * IR_MAX_RANK];
    for (unsigned i = 0; i < 2u * type->rank; i++)
      dims[i] = read_size(p, known->dims[i]);
    emit_bind_memref(e, value, address, dims, dims + type->rank);
    return;
  }
  emit_value scalar = emit_new_value(e, 1);
  scalar.pieces[0] = known->kind == LAUNCH_SIZE ? read_size(p, known->size) : read_next(p, next);
  LLVMTypeRef wanted = emit_element_type(e, type->element);
  if (LLVMGetTypeKind(wanted) == LLVMIntegerTypeKind)
    scalar.pieces[0] = LLVMBuildIntCast2(e->builder, scalar.pieces[0], wanted, true, "");
  emit_bind(e, value, scalar);
}

/* ---------------------------------------------------------------------------------------------- what a kernel needs */

static bool is_known(const launch_plan *plan, const ir_value *value) {
  return launch_get(plan, value)->kind != LAUNCH_UNKNOWN;
}

/* Adds to the list what its unknown values are computed from; all of them must be pure. */
static bool close_inputs(emitter *e, const launch_plan *plan, const ir_op *kernel, emit_values *list) {
  for (unsigned i = 0; i < list->count; i++) {
    const ir_value *value = list->values[i];
    if (is_known(plan, value))
      continue;
    if (!value->op || !ir_op_has(value->op, IR_PURE) || value->op->num_regions)
      return ir_op_error(kernel, "uses a value that is not known before it is launched%s%s", value->op ? ", of " : "",
                         value->op ? ir_op_row(value->op)->name : "");
    for (unsigned k = 0; k < value->op->num_operands; k++)
      emit_values_add(e, list, ir_operand(value->op, k));
  }
  return true;
}

/* Emits the ops of the unknown values again, in the order of the function. */
static bool emit_again(emitter *e, const launch_plan *plan, const emit_values *list) {
  ir_op **ops = IR_NEW_ARRAY(&e->arena, ir_op *, list->count + 1);
  unsigned count = 0;
  for (unsigned i = 0; i < list->count; i++) {
    if (is_known(plan, list->values[i]))
      continue;
    ir_op *op = list->values[i]->op;
    unsigned at = count;
    while (at && ir_op_is_before(op, ops[at - 1]))
      at--;
    if (at && ops[at - 1] == op)
      continue;
    memmove(ops + at + 1, ops + at, sizeof *ops * (count++ - at));
    ops[at] = op;
  }
  for (unsigned i = 0; i < count; i++)
    if (!emit_op(e, ops[i]))
      return false;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- kernels */

/* NAME_0, NAME_1, ..: with letters that every assembler takes, and a name that no other kernel has. */
static char *kernel_name(kernels *k) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  size_t size = strlen(k->function), prefix = size && strchr("0123456789", k->function[0]) ? 1 : 0;
  char *name = ir_arena_alloc(&k->e->module->arena, size + 16);
  name[0] = '_';
  for (size_t i = 0; i < size; i++)
    name[prefix + i] = strchr(letters, k->function[i]) ? k->function[i] : '_';
  do
    snprintf(name + prefix + size, 16 - prefix, "_%u", k->num_kernels++);
  while (LLVMGetNamedFunction(k->e->llvm, name));
  return name;
}

/* The loop's induction variables from the number of the block. Devices take 2^31 blocks along one axis, but far fewer
 * along the others: all loops share the first. */
static void bind_block(const kernels *k, const ir_op *op) {
  emitter *e = k->e;
  LLVMTypeRef index = LLVMInt64TypeInContext(e->context), narrow = emit_word_type(e);
  const ir_block *body = ir_region(op, 0);
  LLVMValueRef rest = k->target->block_number(e);
  for (unsigned dim = body->num_args; dim-- > 0;) {
    LLVMValueRef lower, step, count, position = rest;
    emit_forall_dim(e, op, dim, &lower, &step, &count);
    if (dim) {
      count = LLVMBuildTrunc(e->builder, count, narrow, "");
      position = LLVMBuildURem(e->builder, rest, count, "");
      rest = LLVMBuildUDiv(e->builder, rest, count, "");
    }
    position = LLVMBuildZExt(e->builder, position, index, "");
    emit_value iv = emit_new_value(e, 1);
    iv.pieces[0] = LLVMBuildNSWAdd(e->builder, lower, LLVMBuildNSWMul(e->builder, position, step, ""), "");
    emit_bind(e, body->args[dim], iv);
  }
}

static bool emit_body(kernels *k, const parameters *p, const ir_op *op, const emit_values *inputs,
                      LLVMValueRef kernel) {
  emitter *e = k->e;
  unsigned next = 0;
  e->frame_bytes = 0;
  k->shared_bytes = 0;
  emit_function_begin(e, kernel);
  for (unsigned i = 0; i < inputs->count; i++)
    if (is_known(p->plan, inputs->values[i]))
      bind_value(p, inputs->values[i], &next);
  if (!emit_again(e, p->plan, inputs))
    return false;
  bind_block(k, op);
  e->in_forall = true;
  bool ok = emit_ops(e, ir_region(op, 0));
  e->in_forall = false;
  LLVMBuildRetVoid(e->builder);
  return ok;
}

/* The number of iterations, all along the first axis. */
static bool grid_of(launch_plan *plan, const ir_op *op, uint32_t *grid) {
  uint32_t zero = launch_constant(plan, 0);
  for (unsigned i = 0; i < 3; i++)
    grid[i] = launch_constant(plan, 1);
  for (unsigned dim = ir_region(op, 0)->num_args; dim-- > 0;) {
    uint32_t lower, upper, step;
    ir_bounds bounds = ir_bounds_of(op, dim);
    if (!launch_index(plan, bounds.lower, &lower) || !launch_index(plan, bounds.upper, &upper) ||
        !launch_index(plan, bounds.step, &step))
      return ir_op_error(op, "has a bound that is not known before it is launched");
    uint32_t length = launch_binary(plan, PROGRAM_SUB, upper, lower);
    uint32_t count = launch_binary(plan, PROGRAM_CEILDIV, length, step);
    grid[0] = launch_binary(plan, PROGRAM_MUL, grid[0], launch_binary(plan, PROGRAM_MAX, count, zero));
  }
  return true;
}

static bool emit_kernel(void *data, launch_plan *plan, const ir_op *op) {
  kernels *k = data;
  emitter *e = k->e;
  program_launch launch = {.block = {1, 1, 1}};
  if (!check_kernel(e, op) || !grid_of(plan, op, launch.grid))
    return false;
  emit_values inputs = emit_outside_values(e, op);
  for (unsigned i = 0; i < op->num_operands; i++)
    emit_values_add(e, &inputs, ir_operand(op, i));
  if (!close_inputs(e, plan, op, &inputs))
    return false;
  parameters p = {.plan = plan, .e = e};
  for (unsigned i = 0; i < inputs.count; i++)
    add_value(&p, inputs.values[i], k->target->parameter_space);
  launch.block[0] = (uint32_t)ir_attr_int_or(op, "tec.threads", 1);
  launch.kernel = kernel_name(k);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), p.types, p.count, false);
  LLVMValueRef kernel =
      k->target->declare(e, launch.kernel, type, launch.block[0], ir_attr_int_or(op, "tec.blocks", 1));
  if (!emit_body(k, &p, op, &inputs, kernel))
    return false;
  launch.shared_bytes = k->target->launches_share ? (uint32_t)k->shared_bytes : 0;
  launch.arguments = p.arguments;
  launch.num_arguments = p.count;
  launch_add(plan, &launch);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- modules */

/* Functions that compute shapes are used by others, whose routines hold what they compute. */
static bool emit_entries(kernels *k, unsigned *num_routines, const backend_routine **routines) {
  ir_module *module = k->e->module;
  ir_block *body = ir_region(module->root, 0);
  unsigned count = 0;
  for (const ir_op *op = body->first; op; op = op->next)
    count += ir_is_exported(op);
  backend_routine *list = IR_NEW_ARRAY(&module->arena, backend_routine, count + 1);
  *routines = list;
  *num_routines = count;
  for (ir_op *op = body->first; op; op = op->next) {
    if (op->code == OP_BUILTIN_MODULE)
      return ir_op_error(op, "is nested; kernels are made of one module");
    if (!ir_is_exported(op))
      continue;
    launch_plan plan;
    launch_plan_init(&plan, module);
    list->name = k->function = ir_attr_string_or(op, "sym_name", "");
    k->num_kernels = 0;
    if (!launch_entry(&plan, op, emit_kernel, k, &list++->routine))
      return false;
  }
  return true;
}

static const kernel_target *const targets[] = {[TARGET_NVPTX] = &nvptx_target, [TARGET_SPIRV] = &spirv_target};

bool backend_emit_kernels(ir_module *module, const target_facts *facts, backend_output output, char **bytes,
                          size_t *size, unsigned *num_routines, const backend_routine **routines) {
  emitter e;
  const kernel_target *target = targets[facts->kind];
  backend_initialize_llvm();
  if (!emitter_init(&e, module, facts, &target->emit))
    return false;
  kernels k = {.e = &e, .target = target};
  e.target_state = &k;
  e.has_half = true;
  if (output == BACKEND_OBJECT && target->text_only)
    output = BACKEND_ASSEMBLY;
  LLVMTargetMachineRef machine = emit_create_machine(&e);
  bool ok = machine && emit_entries(&k, num_routines, routines) && emit_optimize(&e, machine, target->pipeline) &&
            (!target->accept || target->accept(&e)) && emit_write(&e, machine, output, bytes, size);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  emitter_destroy(&e);
  return ok;
}
