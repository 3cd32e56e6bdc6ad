/* nvptx.c - kernels for NVIDIA GPUs: each top-level scf.forall becomes a PTX entry, and its function the launches.
 *
 * A kernel's parameters are what the loop uses from outside and what is not a constant: addresses, dynamic sizes and
 * strides, scalars. Other pure values (constants of any type, arithmetic on scalar arguments) are computed again in
 * each kernel. The last dim of the loop runs along x, the one before along y, all others along z. Memory that lanes
 * share is one dynamic array, in which each memref.alloca has its own place.
 *
 * All other memory is in LLVM's generic address space, and LLVM infers that what comes from a parameter is global. */
#include "backend/nvptx.h"
#include "backend/cpu.h"
#include "backend/launch.h"

#include <stdio.h>
#include <string.h>

enum {
  SHARED_SPACE = 3,
  GLOBAL_SPACE = 1,
  SHARED_ALIGNMENT = 128, /* of each memref there: rows of all banks, and what swizzles take for granted */
  MAX_LOCAL_BYTES = 16 << 10,
};

/* One emission. */
typedef struct nvptx {
  LLVMValueRef shared;   /* the dynamic array of all kernels */
  uint64_t shared_bytes; /* of the kernel being emitted */
  const char *function;  /* the entry whose kernels are being emitted */
  unsigned num_kernels;  /* of that entry */
  emitter *e;
} nvptx;

static LLVMTypeRef index_type(emitter *e) {
  return LLVMInt64TypeInContext(e->context);
}

/* --------------------------------------------------------------------------------------------- hooks of the emitter */

static LLVMValueRef nvptx_share(emitter *e, const ir_op *op, uint64_t bytes) {
  nvptx *n = e->target_state;
  uint64_t offset = n->shared_bytes;
  if (bytes > e->facts->shared_bytes || offset + bytes > e->facts->shared_bytes) {
    ir_op_error(op, "needs %llu bytes of shared memory after %llu of others, but %s has %llu",
                (unsigned long long)bytes, (unsigned long long)offset, e->facts->cpu,
                (unsigned long long)e->facts->shared_bytes);
    return NULL;
  }
  n->shared_bytes = (offset + bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
  if (!n->shared) {
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->context), 0);
    n->shared = LLVMAddGlobalInAddressSpace(e->llvm, type, "shared", SHARED_SPACE);
    LLVMSetLinkage(n->shared, LLVMExternalLinkage);
    LLVMSetAlignment(n->shared, SHARED_ALIGNMENT);
  }
  LLVMValueRef at = emit_index(e, (int64_t)offset);
  return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), n->shared, &at, 1, "");
}

static const emit_target nvptx_target = {
    .name = "nvptx",
    .has_lanes = true,
    .max_elements = 1 << 11,
    .shared_space = SHARED_SPACE,
    .share = nvptx_share,
    .library = nvptx_library,
    .forall = emit_forall_serially,
};

/* ----------------------------------------------------------------------------------------------------------- checks */

static bool check_op(ir_op *op, void *data) {
  uint64_t *local_bytes = data;
  if (op->code == OP_MEMREF_ALLOC || op->code == OP_MEMREF_DEALLOC || op->code == OP_FUNC_CALL)
    return ir_op_error(op, "cannot be in a kernel");
  if (op->code != OP_MEMREF_ALLOCA || ir_result(op, 0)->type->space == IR_SPACE_WORKGROUP)
    return true;
  const ir_type *type = ir_result(op, 0)->type;
  int64_t count = ir_type_num_elements(type);
  *local_bytes +=
      count < 0 || count > MAX_LOCAL_BYTES ? MAX_LOCAL_BYTES + 1 : (uint64_t)count * emit_element_bytes(type->element);
  return *local_bytes <= MAX_LOCAL_BYTES ||
         ir_op_error(op, "gives each lane more than %d bytes of memory, or a size that is not known", MAX_LOCAL_BYTES);
}

/* What the emitter's hooks rely on. */
static bool check_kernel(emitter *e, const ir_op *op) {
  uint64_t local_bytes = 0;
  unsigned errors = e->module->num_errors;
  int64_t threads = ir_attr_int_or(op, "tec.threads", 1);
  if (threads < 1 || threads > e->facts->max_block_threads)
    return ir_op_error(op, "has tec.threads = %lld; %s takes 1 to %u", (long long)threads, e->facts->cpu,
                       e->facts->max_block_threads);
  if (op->num_results || ir_region(ir_block_terminator(ir_region(op, 0)), 0)->first)
    return ir_op_error(op, "still yields tensors; the nvptx backend takes buffers");
  ir_walk(ir_region(op, 0), check_op, &local_bytes);
  return e->module->num_errors == errors;
}

/* ------------------------------------------------------------------------------------------------------- parameters */

/* The parameters of a kernel as they are found. */
typedef struct parameters {
  launch_plan *plan;
  emitter *e;
  program_argument *arguments;
  LLVMTypeRef *types;
  unsigned count, capacity;
} parameters;

static void add_parameter(parameters *p, LLVMTypeRef type, program_argument argument) {
  if (p->count == p->capacity) {
    unsigned capacity = p->capacity * 2 + 16;
    program_argument *arguments = IR_NEW_ARRAY(&p->plan->module->arena, program_argument, capacity);
    LLVMTypeRef *types = IR_NEW_ARRAY(&p->e->arena, LLVMTypeRef, capacity);
    if (p->count) {
      memcpy(arguments, p->arguments, sizeof *arguments * p->count);
      memcpy(types, p->types, sizeof *types * p->count);
    }
    p->arguments = arguments;
    p->types = types;
    p->capacity = capacity;
  }
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
    add_parameter(p, index_type(p->e), (program_argument){.kind = PROGRAM_SIZE, .value = size});
}

static void add_value(parameters *p, const ir_value *value) {
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
    add_parameter(p, LLVMPointerTypeInContext(p->e->context, GLOBAL_SPACE),
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
    LLVMTypeRef generic = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef address = LLVMBuildAddrSpaceCast(e->builder, read_next(p, next), generic, ""), dims[2 * IR_MAX_RANK];
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

static void add_attribute(emitter *e, LLVMValueRef function, const char *name, const char *value) {
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* NAME_0, NAME_1, ..: with letters that PTX has, and a name that no other kernel has. */
static char *kernel_name(nvptx *n) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  size_t size = strlen(n->function), prefix = size && strchr("0123456789", n->function[0]) ? 1 : 0;
  char *name = ir_arena_alloc(&n->e->module->arena, size + 16);
  name[0] = '_';
  for (size_t i = 0; i < size; i++)
    name[prefix + i] = strchr(letters, n->function[i]) ? n->function[i] : '_';
  do
    snprintf(name + prefix + size, 16 - prefix, "_%u", n->num_kernels++);
  while (LLVMGetNamedFunction(n->e->llvm, name));
  return name;
}

static LLVMValueRef declare_kernel(nvptx *n, const char *name, const parameters *p, int64_t threads) {
  emitter *e = n->e;
  char text[32];
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), p->types, p->count, false);
  LLVMValueRef kernel = LLVMAddFunction(e->llvm, name, type);
  LLVMSetFunctionCallConv(kernel, LLVMPTXKernelCallConv);
  unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddAttributeAtIndex(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->context, nounwind, 0));
  snprintf(text, sizeof text, "%lld,1,1", (long long)threads);
  add_attribute(e, kernel, "nvvm.reqntid", text);
  return kernel;
}

static LLVMValueRef block_number(emitter *e, char axis) {
  char name[48];
  snprintf(name, sizeof name, "llvm.nvvm.read.ptx.sreg.ctaid.%c", axis);
  return LLVMBuildZExt(e->builder, emit_intrinsic_of(e, name, NULL, 0, NULL, 0), index_type(e), "");
}

/* The loop's induction variables from the number of the block. */
static void bind_block(emitter *e, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  LLVMValueRef rest = NULL;
  for (unsigned dim = body->num_args, axis = 0; dim-- > 0; axis++) {
    LLVMValueRef lower, step, count, position;
    emit_forall_dim(e, op, dim, &lower, &step, &count);
    position = axis < 2 ? block_number(e, "xy"[axis]) : rest ? rest : block_number(e, 'z');
    if (axis >= 2 && dim) {
      rest = LLVMBuildUDiv(e->builder, position, count, "");
      position = LLVMBuildURem(e->builder, position, count, "");
    }
    emit_value iv = emit_new_value(e, 1);
    iv.pieces[0] = LLVMBuildNSWAdd(e->builder, lower, LLVMBuildNSWMul(e->builder, position, step, ""), "");
    emit_bind(e, body->args[dim], iv);
  }
}

static bool emit_body(nvptx *n, const parameters *p, const ir_op *op, const emit_values *inputs, LLVMValueRef kernel) {
  emitter *e = n->e;
  unsigned next = 0;
  e->frame_bytes = 0;
  n->shared_bytes = 0;
  emit_function_begin(e, kernel);
  for (unsigned i = 0; i < inputs->count; i++)
    if (is_known(p->plan, inputs->values[i]))
      bind_value(p, inputs->values[i], &next);
  if (!emit_again(e, p->plan, inputs))
    return false;
  bind_block(e, op);
  e->in_forall = true;
  bool ok = emit_ops(e, ir_region(op, 0));
  e->in_forall = false;
  LLVMBuildRetVoid(e->builder);
  return ok;
}

/* The number of iterations of each dim, folded into three. */
static bool grid_of(launch_plan *plan, const ir_op *op, uint32_t *grid) {
  unsigned rank = ir_region(op, 0)->num_args;
  uint32_t zero = launch_constant(plan, 0);
  for (unsigned i = 0; i < 3; i++)
    grid[i] = launch_constant(plan, 1);
  for (unsigned dim = rank, axis = 0; dim-- > 0; axis++) {
    uint32_t lower, upper, step;
    if (!launch_index(plan, ir_mixed(op, 0, "staticLowerBound", dim), &lower) ||
        !launch_index(plan, ir_mixed(op, 1, "staticUpperBound", dim), &upper) ||
        !launch_index(plan, ir_mixed(op, 2, "staticStep", dim), &step))
      return ir_op_error(op, "has a bound that is not known before it is launched");
    uint32_t length = launch_binary(plan, PROGRAM_SUB, upper, lower);
    uint32_t count = launch_binary(plan, PROGRAM_CEILDIV, length, step);
    count = launch_binary(plan, PROGRAM_MAX, count, zero);
    unsigned place = axis < 2 ? axis : 2;
    grid[place] = launch_binary(plan, PROGRAM_MUL, grid[place], count);
  }
  return true;
}

static bool emit_kernel(void *data, launch_plan *plan, const ir_op *op) {
  nvptx *n = data;
  emitter *e = n->e;
  program_launch launch = {.block = {1, 1, 1}};
  if (!check_kernel(e, op) || !grid_of(plan, op, launch.grid))
    return false;
  emit_values inputs = emit_outside_values(e, ir_region(op, 0));
  for (unsigned i = 0; i < op->num_operands; i++)
    emit_values_add(e, &inputs, ir_operand(op, i));
  if (!close_inputs(e, plan, op, &inputs))
    return false;
  parameters p = {.plan = plan, .e = e};
  for (unsigned i = 0; i < inputs.count; i++)
    add_value(&p, inputs.values[i]);
  launch.block[0] = (uint32_t)ir_attr_int_or(op, "tec.threads", 1);
  launch.kernel = kernel_name(n);
  LLVMValueRef kernel = declare_kernel(n, launch.kernel, &p, launch.block[0]);
  if (!emit_body(n, &p, op, &inputs, kernel))
    return false;
  launch.shared_bytes = (uint32_t)n->shared_bytes;
  launch.arguments = p.arguments;
  launch.num_arguments = p.count;
  launch_add(plan, &launch);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- modules */

/* Functions that compute shapes are used by others, whose routines hold what they compute. */
static bool is_entry(const ir_op *op) {
  return op->code == OP_FUNC_FUNC && ir_region(op, 0)->first &&
         strcmp(ir_attr_string_or(op, "sym_visibility", "public"), "private");
}

static bool emit_entries(nvptx *n, unsigned *num_routines, const backend_routine **routines) {
  ir_module *module = n->e->module;
  ir_block *body = ir_region(module->root, 0);
  unsigned count = 0;
  for (const ir_op *op = body->first; op; op = op->next)
    count += is_entry(op);
  backend_routine *list = IR_NEW_ARRAY(&module->arena, backend_routine, count + 1);
  *routines = list;
  *num_routines = count;
  for (ir_op *op = body->first; op; op = op->next) {
    if (op->code == OP_BUILTIN_MODULE)
      return ir_op_error(op, "is nested; the nvptx backend takes one module");
    if (!is_entry(op))
      continue;
    launch_plan plan;
    launch_plan_init(&plan, module);
    list->name = n->function = ir_attr_string_or(op, "sym_name", "");
    n->num_kernels = 0;
    if (!launch_entry(&plan, op, emit_kernel, n, &list++->routine))
      return false;
  }
  return true;
}

static const char pipeline[] = "function(sroa,early-cse,simplifycfg),"
                               "function(scalarizer<min-bits=32;load-store>,early-cse<memssa>,instcombine<no-verify-"
                               "fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),indvars,gvn,loop-unroll,"
                               "instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)";

bool backend_emit_nvptx(ir_module *module, const target_facts *facts, backend_output output, char **bytes, size_t *size,
                        unsigned *num_routines, const backend_routine **routines) {
  emitter e;
  backend_initialize_llvm();
  if (!emitter_init(&e, module, facts, &nvptx_target))
    return false;
  nvptx n = {.e = &e};
  e.target_state = &n;
  e.has_half = true;
  LLVMTargetMachineRef machine = emit_create_machine(&e);
  bool ok = machine && emit_entries(&n, num_routines, routines) && emit_optimize(&e, machine, pipeline) &&
            emit_write(&e, machine, output == BACKEND_OBJECT ? BACKEND_ASSEMBLY : output, bytes, size);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  emitter_destroy(&e);
  return ok;
}
