/* host.c - code for CPUs: what the shared emitter leaves to the target, the exported wrappers, and LLVM's passes.
 *
 * A function of the module becomes a private `{i32 status, results..} f(env, argument pieces..)`. Each public one also
 * gets the exported wrapper that host_abi.h describes. scf.forall becomes a function of its own, called through
 * env->parallel_for with a struct of what it uses from outside.
 *
 * Every allocation has a slot in its function's frame, null while there is nothing to free. An allocation that fails
 * jumps to the function's one clean-up block, which frees what the slots hold and returns status 1; callers do the same
 * in turn. In the body of a parallel loop the status is a word that all iterations share. */
#include "backend/cpu.h"
#include "backend/hooks.h"
#include "backend/parts.h"

#include <llvm-c/TargetMachine.h>
#include <string.h>

/* The members of tec_host_env. */
enum { ENV_CONTEXT, ENV_PARALLEL_FOR, ENV_ALLOCATE, ENV_RELEASE };

/* What exported functions return: see host_abi.h. */
enum { FAILED = 1, REFUSED = 3 };

typedef struct slot {
  LLVMValueRef memory; /* holds an address to free, or null */
  bool automatic;      /* freed when the function ends; others have their memref.dealloc */
  struct slot *next;
} slot;

/* The function being emitted. */
typedef struct frame {
  LLVMValueRef environment;
  LLVMValueRef status; /* in the body of a parallel loop: where failure is reported; else NULL */
  slot *slots;
  LLVMBasicBlockRef clean_up; /* where failures go; NULL while nothing can fail */
} frame;

static frame *frame_of(emitter *e) { return e->target_state; }
static LLVMTypeRef pointer_type(emitter *e) { return LLVMPointerTypeInContext(e->context, 0); }
static LLVMTypeRef status_type(emitter *e) { return emit_word_type(e); }
static LLVMTypeRef index_type(emitter *e) { return LLVMInt64TypeInContext(e->context); }

/* ------------------------------------------------------------------------------------------------- the environment */

static LLVMValueRef load_pointer(emitter *e, LLVMValueRef base, uint64_t index) {
  LLVMValueRef at = emit_index(e, (int64_t)index);
  LLVMValueRef address = LLVMBuildGEP2(e->builder, pointer_type(e), base, &at, 1, "");
  return LLVMBuildLoad2(e->builder, pointer_type(e), address, "");
}

/* Calls a member of the environment, with its context in front of the operands. */
static LLVMValueRef call_environment(emitter *e, unsigned member, LLVMTypeRef result, LLVMValueRef const *operands,
                                     unsigned num_operands) {
  LLVMValueRef all[4], environment = frame_of(e)->environment;
  LLVMTypeRef types[4];
  all[0] = load_pointer(e, environment, ENV_CONTEXT);
  memcpy(all + 1, operands, sizeof *all * num_operands);
  for (unsigned i = 0; i <= num_operands; i++)
    types[i] = LLVMTypeOf(all[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, num_operands + 1, false);
  return LLVMBuildCall2(e->builder, type, load_pointer(e, environment, member), all, num_operands + 1, "");
}

static slot *new_slot(emitter *e, bool automatic) {
  slot *s = IR_NEW_OF(&e->arena, slot, emit_alloca(e, pointer_type(e), 8), automatic, frame_of(e)->slots);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->allocas));
  LLVMBuildStore(e->builder, LLVMConstNull(pointer_type(e)), s->memory);
  LLVMPositionBuilderAtEnd(e->builder, here);
  return frame_of(e)->slots = s;
}

/* Frees what a slot holds, if anything. */
static void free_slot(emitter *e, const slot *s) {
  LLVMBasicBlockRef used = emit_block(e, "release"), done = emit_block(e, "");
  LLVMValueRef address = LLVMBuildLoad2(e->builder, pointer_type(e), s->memory, "");
  LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, address, ""), done, used);
  LLVMPositionBuilderAtEnd(e->builder, used);
  call_environment(e, ENV_RELEASE, LLVMVoidTypeInContext(e->context), &address, 1);
  LLVMBuildBr(e->builder, done);
  LLVMPositionBuilderAtEnd(e->builder, done);
}

static LLVMValueRef host_allocate(emitter *e, LLVMValueRef bytes, bool automatic) {
  slot *s = new_slot(e, automatic);
  if (automatic)
    free_slot(e, s);
  LLVMBuildStore(e->builder, LLVMConstNull(pointer_type(e)), s->memory);
  LLVMValueRef size = emit_intrinsic(e, "llvm.umax", (LLVMValueRef[]){bytes, emit_index(e, 1)}, 2);
  LLVMValueRef address = call_environment(e, ENV_ALLOCATE, pointer_type(e), &size, 1);
  emit_fail_if(e, LLVMBuildIsNull(e->builder, address, ""));
  LLVMBuildStore(e->builder, address, s->memory);
  return address;
}

static void host_release(emitter *e, LLVMValueRef address) {
  LLVMValueRef null = LLVMConstNull(pointer_type(e));
  for (const slot *s = frame_of(e)->slots; s; s = s->next) {
    LLVMValueRef held = LLVMBuildLoad2(e->builder, pointer_type(e), s->memory, "");
    LLVMValueRef is_it = LLVMBuildICmp(e->builder, LLVMIntEQ, held, address, "");
    LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, is_it, null, held, ""), s->memory);
  }
  call_environment(e, ENV_RELEASE, LLVMVoidTypeInContext(e->context), &address, 1);
}

static void host_fail(emitter *e) {
  if (!frame_of(e)->clean_up)
    frame_of(e)->clean_up = emit_block(e, "clean_up");
  LLVMBuildBr(e->builder, frame_of(e)->clean_up);
}

/* -------------------------------------------------------------------------------------------------------- functions */

static LLVMValueRef add_function(emitter *e, const char *name, LLVMTypeRef type, bool exported) {
  LLVMValueRef function = LLVMAddFunction(e->llvm, name, type);
  if (!exported) {
    LLVMSetLinkage(function, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(function, LLVMGlobalUnnamedAddr); /* equal ones may be one: nobody compares their addresses */
  }
  emit_add_attribute(e, function, "nounwind", 0);
  const char *width = e->facts->vector_bits >= 512 ? "512" : e->facts->vector_bits >= 256 ? "256" : "128";
  emit_add_text_attribute(e, function, "target-cpu", e->facts->cpu);
  if (*e->facts->features)
    emit_add_text_attribute(e, function, "target-features", e->facts->features);
  if (!exported) /* what lacks a register lies in whole lines of the cache */
    emit_add_attribute(e, function, "alignstack", e->facts->vector_bits / 8);
  emit_add_text_attribute(e, function, "prefer-vector-width", width);
  emit_add_text_attribute(e, function, "min-legal-vector-width", width);
  return function;
}

/* What went past the caches is in memory before anyone learns that the function has ended: only a fence makes x86 wait
 * for it, where other stores keep their order. */
static void end_streams(emitter *e) {
  if (e->streams && !strncmp(e->facts->triple, "x86_64", 6))
    emit_intrinsic_of(e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}

/* Frees the automatic slots, or all when `failed`. */
static void free_slots(emitter *e, bool failed) {
  for (const slot *s = frame_of(e)->slots; s; s = s->next)
    if (failed || s->automatic)
      free_slot(e, s);
}

/* The clean-up block, if anything jumps to it. */
static void end_function(emitter *e) {
  frame *f = frame_of(e);
  if (!f->clean_up)
    return;
  LLVMPositionBuilderAtEnd(e->builder, f->clean_up);
  free_slots(e, true);
  LLVMValueRef one = LLVMConstInt(status_type(e), 1, false);
  if (f->status) {
    LLVMValueRef store = LLVMBuildStore(e->builder, one, f->status);
    LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(store, 4);
    LLVMBuildRetVoid(e->builder);
    return;
  }
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(e->function));
  LLVMBuildRet(e->builder, LLVMBuildInsertValue(e->builder, LLVMGetPoison(type), one, 0, ""));
}

static void host_leave(emitter *e, LLVMValueRef *results, unsigned num_results) {
  end_streams(e);
  free_slots(e, false);
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(e->function));
  LLVMValueRef returned = LLVMBuildInsertValue(e->builder, LLVMGetPoison(type), LLVMConstNull(status_type(e)), 0, "");
  for (unsigned i = 0; i < num_results; i++)
    returned = LLVMBuildInsertValue(e->builder, returned, results[i], i + 1, "");
  LLVMBuildRet(e->builder, returned);
}

static LLVMValueRef *host_call(emitter *e, LLVMValueRef callee, LLVMValueRef const *arguments, unsigned num_arguments) {
  LLVMTypeRef type = LLVMGlobalGetValueType(callee);
  unsigned num_results = LLVMCountStructElementTypes(LLVMGetReturnType(type)) - 1;
  LLVMValueRef *all = IR_NEW_ARRAY(&e->arena, LLVMValueRef, num_arguments + 1);
  LLVMValueRef *results = IR_NEW_ARRAY(&e->arena, LLVMValueRef, num_results);
  all[0] = frame_of(e)->environment;
  for (unsigned i = 0; i < num_arguments; i++)
    all[i + 1] = arguments[i];
  LLVMValueRef returned = LLVMBuildCall2(e->builder, type, callee, all, num_arguments + 1, "");
  LLVMValueRef status = LLVMBuildExtractValue(e->builder, returned, 0, "");
  emit_fail_if(e, LLVMBuildIsNotNull(e->builder, status, ""));
  for (unsigned i = 0; i < num_results; i++)
    results[i] = LLVMBuildExtractValue(e->builder, returned, i + 1, "");
  return results;
}

/* ------------------------------------------------------------------------------------------------- parallel loops */

/* Puts the values that are not constants into a struct in the frame; gives its type and address. */
static LLVMValueRef store_captures(emitter *e, LLVMValueRef const *values, unsigned count, LLVMTypeRef *type) {
  LLVMTypeRef *types = IR_NEW_ARRAY(&e->arena, LLVMTypeRef, count);
  unsigned fields = 0;
  for (unsigned i = 0; i < count; i++)
    if (!LLVMIsConstant(values[i]))
      types[fields++] = LLVMTypeOf(values[i]);
  *type = LLVMStructTypeInContext(e->context, types, fields, false);
  LLVMValueRef data = emit_alloca(e, *type, EMIT_ALIGNMENT);
  for (unsigned i = 0, field = 0; i < count; i++)
    if (!LLVMIsConstant(values[i]))
      LLVMBuildStore(e->builder, values[i], LLVMBuildStructGEP2(e->builder, *type, data, field++, ""));
  return data;
}

/* Replaces the values that are not constants by what the struct holds. */
static void load_captures(emitter *e, LLVMTypeRef type, LLVMValueRef data, LLVMValueRef *values, unsigned count) {
  for (unsigned i = 0, field = 0; i < count; i++) {
    if (LLVMIsConstant(values[i]))
      continue;
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, field);
    values[i] = LLVMBuildLoad2(e->builder, element, LLVMBuildStructGEP2(e->builder, type, data, field++, ""), "");
  }
}

/* Splits the number of an iteration into the loop's induction variables, the last dim fastest. `bounds` holds lower
 * bound, step and count of each dim. */
static void bind_iteration(emitter *e, const ir_block *body, LLVMValueRef number, LLVMValueRef const *bounds) {
  for (unsigned dim = body->num_args; dim-- > 0;) {
    LLVMValueRef count = bounds[3 * dim + 2], position = number;
    if (dim) {
      position = LLVMBuildURem(e->builder, number, count, "");
      number = LLVMBuildUDiv(e->builder, number, count, "");
    }
    emit_value iv = emit_new_value(e, 1);
    LLVMValueRef offset = LLVMBuildNSWMul(e->builder, position, bounds[3 * dim + 1], "");
    iv.pieces[0] = LLVMBuildNSWAdd(e->builder, bounds[3 * dim], offset, "");
    emit_bind(e, body->args[dim], iv);
  }
}

enum { CAPTURE_ENVIRONMENT, CAPTURE_STATUS, CAPTURE_BOUNDS };

/* The body as `void "forall:"(struct *data, i64 iteration)`, whose name is no exported one. `values` are the captures
 * in the order of CAPTURE_..., then the pieces of c->values; they are replaced by what they are inside. */
static LLVMValueRef emit_worker(emitter *e, const ir_op *op, const emit_values *c, LLVMTypeRef data_type,
                                LLVMValueRef *values, unsigned count) {
  const ir_block *body = ir_region(op, 0);
  emitter outside = *e;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  LLVMTypeRef parameters[] = {pointer_type(e), index_type(e)};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 2, false);
  LLVMValueRef worker = add_function(e, "forall:", type, false);
  emit_add_text_attribute(e, worker, PARTS_WORKER, "");
  frame inside = {0};
  e->target_state = &inside;
  e->in_forall = true;
  e->streams = false;
  e->frame_bytes = 0;
  emit_function_begin(e, worker);
  load_captures(e, data_type, LLVMGetParam(worker, 0), values, count);
  inside.environment = values[CAPTURE_ENVIRONMENT];
  inside.status = values[CAPTURE_STATUS];
  bind_iteration(e, body, LLVMGetParam(worker, 1), values + CAPTURE_BOUNDS);
  emit_value *saved = IR_NEW_ARRAY(&e->arena, emit_value, c->count);
  LLVMValueRef *next = values + CAPTURE_BOUNDS + 3 * body->num_args;
  for (unsigned i = 0; i < c->count; i++) {
    saved[i] = *emit_get(e, c->values[i]);
    if (c->values[i]->type->kind == IR_TYPE_TILE)
      *next = emit_tile_at(e, c->values[i]->type, *next);
    emit_bind(e, c->values[i], (emit_value){next, saved[i].num_pieces});
    next += saved[i].num_pieces;
  }
  bool ok = emit_ops(e, body);
  if (ok) {
    end_streams(e);
    free_slots(e, false);
    LLVMBuildRetVoid(e->builder);
    end_function(e);
  }
  for (unsigned i = 0; i < c->count; i++)
    emit_bind(e, c->values[i], saved[i]);
  e->target_state = outside.target_state;
  e->function = outside.function;
  e->allocas = outside.allocas;
  e->frame_bytes = outside.frame_bytes;
  e->in_forall = false;
  e->streams = outside.streams;
  LLVMPositionBuilderAtEnd(e->builder, here);
  return ok ? worker : NULL;
}

static bool host_forall(emitter *e, const ir_op *op) {
  ir_block *body = ir_region(op, 0);
  emit_values c = emit_outside_values(e, op);
  unsigned count = CAPTURE_BOUNDS + 3 * body->num_args;
  for (unsigned i = 0; i < c.count; i++)
    count += emit_get(e, c.values[i])->num_pieces;
  LLVMValueRef *values = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count), *next = values + CAPTURE_BOUNDS;
  LLVMValueRef status = emit_alloca(e, status_type(e), 4), total = emit_index(e, 1);
  LLVMBuildStore(e->builder, LLVMConstNull(status_type(e)), status);
  values[CAPTURE_ENVIRONMENT] = frame_of(e)->environment;
  values[CAPTURE_STATUS] = status;
  for (unsigned i = 0; i < body->num_args; i++, next += 3) {
    emit_forall_dim(e, op, i, &next[0], &next[1], &next[2]);
    total = LLVMBuildMul(e->builder, total, next[2], "");
  }
  for (unsigned i = 0; i < c.count; i++) {
    const emit_value *value = emit_get(e, c.values[i]);
    memcpy(next, value->pieces, sizeof *next * value->num_pieces);
    if (c.values[i]->type->kind == IR_TYPE_TILE)
      *next = emit_tile_address(e, c.values[i]->type, *next);
    next += value->num_pieces;
  }
  LLVMTypeRef data_type;
  LLVMValueRef data = store_captures(e, values, count, &data_type);
  LLVMValueRef worker = emit_worker(e, op, &c, data_type, values, count);
  if (!worker)
    return false;
  call_environment(e, ENV_PARALLEL_FOR, LLVMVoidTypeInContext(e->context), (LLVMValueRef[]){total, worker, data}, 3);
  LLVMValueRef failed = LLVMBuildLoad2(e->builder, status_type(e), status, "");
  emit_fail_if(e, LLVMBuildIsNotNull(e->builder, failed, ""));
  return true;
}

/* Into the second-level cache, or the first one. */
static bool emit_prefetch(emitter *e, const ir_op *op) {
  emit_prefetch_line(e, emit_operand_address(e, op, 0, 1), ir_attr_get(op, "tec.near"));
  return true;
}

static const emit_lane_op lane_ops[] = {{OP_VECTOR_EXT_PREFETCH, emit_prefetch}, {.emit = NULL}};

static const emit_target host_target = {
    .name = "host",
    .lane_ops = lane_ops,
    .max_elements = 1 << 16,
    .allocate = host_allocate,
    .release = host_release,
    .forall = host_forall,
    .fail = host_fail,
    .leave = host_leave,
    .call = host_call,
};

/* ------------------------------------------------------------------------------------------ functions of the module */

/* The LLVM name of a function's body; no exported name starts so (see check_name). */
static const char *body_name(emitter *e, const ir_op *function) {
  static const char prefix[] = "body:";
  const char *name = ir_attr_string_or(function, "sym_name", "");
  size_t size = strlen(name) + 1;
  char *full = ir_arena_alloc(&e->arena, sizeof prefix - 1 + size);
  memcpy(full, prefix, sizeof prefix - 1);
  memcpy(full + sizeof prefix - 1, name, size);
  return full;
}

LLVMValueRef emit_function_of(emitter *e, const ir_op *function) {
  if (!function || function->code != OP_FUNC_FUNC)
    return NULL;
  return LLVMGetNamedFunction(e->llvm, body_name(e, function));
}

/* The LLVM types of a list of types, after one in front; NULL after an error. */
static LLVMTypeRef *flat_types(emitter *e, const ir_op *function, LLVMTypeRef first, const ir_type *const *types,
                               unsigned count, unsigned *num_flat) {
  *num_flat = 1;
  for (unsigned i = 0; i < count; i++) {
    unsigned pieces = emit_num_pieces(e, function, types[i]);
    if (types[i]->kind == IR_TYPE_TILE)
      pieces = ir_op_error(function, "passes a tile, which has no form outside of registers in the host backend");
    if (!pieces)
      return NULL;
    *num_flat += pieces;
  }
  LLVMTypeRef *flat = IR_NEW_ARRAY(&e->arena, LLVMTypeRef, *num_flat), *next = flat;
  *next++ = first;
  for (unsigned i = 0; i < count; i++) {
    emit_piece_types(e, types[i], next);
    next += emit_num_pieces(e, function, types[i]);
  }
  return flat;
}

static const ir_type *function_type(const ir_op *function) { return ir_attr_get(function, "function_type")->type; }

static bool declare_function(emitter *e, const ir_op *function) {
  const ir_type *type = function_type(function);
  unsigned num_inputs, num_results;
  LLVMTypeRef *inputs = flat_types(e, function, pointer_type(e), type->inputs, type->num_inputs, &num_inputs);
  LLVMTypeRef *results = flat_types(e, function, status_type(e), type->results, type->num_results, &num_results);
  if (!inputs || !results)
    return false;
  LLVMTypeRef result = LLVMStructTypeInContext(e->context, results, num_results, false);
  add_function(e, body_name(e, function), LLVMFunctionType(result, inputs, num_inputs, false), false);
  return true;
}

static bool define_function(emitter *e, const ir_op *op) {
  LLVMValueRef function = emit_function_of(e, op);
  frame f = {.environment = LLVMGetParam(function, 0)};
  unsigned count = LLVMCountParams(function) - 1;
  LLVMValueRef *arguments = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetParam(function, i + 1);
  e->target_state = &f;
  e->streams = false;
  e->frame_bytes = 0;
  emit_function_begin(e, function);
  bool ok = emit_function_body(e, op, arguments);
  if (ok)
    end_function(e);
  e->target_state = NULL;
  return ok;
}

/* --------------------------------------------------------------------------------------------------------- wrappers */

/* Symbols that emitted code needs to mean the C library's. */
static const char *const library_names[] = {
    "memcpy", "memmove", "memset", "exp",       "exp2",       "expm1", "log",   "log2",   "log1p", "tanh",
    "sin",    "cos",     "erf",    "pow",       "fmod",       "expf",  "exp2f", "expm1f", "logf",  "log2f",
    "log1pf", "tanhf",   "sinf",   "cosf",      "erff",       "powf",  "fmodf", "floor",  "ceil",  "floorf",
    "ceilf",  "fma",     "fmaf",   "fmax",      "fmaxf",      "fmin",  "fminf", "sqrt",   "sqrtf", "trunc",
    "truncf", "round",   "roundf", "roundeven", "roundevenf", "log10", "sinh",  "cosh",   "tan",   "tanf",
    "asin",   "acos",    "atan",   "atan2",     "erfc",       "cbrt",
};

static bool check_name(emitter *e, const ir_op *function, const char *name) {
  bool taken = !*name || !strncmp(name, "llvm.", 5) || !strncmp(name, "body:", 5) || !strncmp(name, "forall:", 7);
  for (size_t i = 0; i < sizeof library_names / sizeof *library_names; i++)
    taken |= !strcmp(name, library_names[i]);
  if (taken)
    return ir_op_error(function, "cannot be exported as '%s', which means something else there", name);
  if (LLVMGetNamedFunction(e->llvm, name))
    return ir_op_error(function, "exports '%s', which is exported twice", name);
  return true;
}

/* Starts an exported `i32 name(ptr x num_parameters)`. */
static LLVMValueRef begin_wrapper(emitter *e, const ir_op *op, const char *name) {
  if (!check_name(e, op, name))
    return NULL;
  LLVMTypeRef parameters[] = {pointer_type(e), pointer_type(e), pointer_type(e)};
  LLVMTypeRef type = LLVMFunctionType(status_type(e), parameters, 3, false);
  LLVMValueRef function = add_function(e, name, type, true);
  emit_function_begin(e, function);
  return function;
}

static LLVMValueRef load_extent(emitter *e, LLVMValueRef dims, unsigned number) {
  return emit_load(e, IR_I64, emit_address(e, IR_I64, dims, emit_index(e, number)), 0);
}

/* Goes on where the condition is false; else returns the status. */
static void return_if(emitter *e, int32_t status, LLVMValueRef condition) {
  LLVMBasicBlockRef wrong = emit_block(e, "wrong"), fine = emit_block(e, "");
  LLVMBuildCondBr(e->builder, condition, wrong, fine);
  LLVMPositionBuilderAtEnd(e->builder, wrong);
  LLVMBuildRet(e->builder, LLVMConstInt(status_type(e), (uint64_t)status, false));
  LLVMPositionBuilderAtEnd(e->builder, fine);
}

/* Writes the pieces of a row-major memref argument and says where its extents differ from what the type says. */
static LLVMValueRef memref_argument(emitter *e, const ir_type *type, LLVMValueRef address, LLVMValueRef dims,
                                    unsigned first_extent, LLVMValueRef *pieces) {
  LLVMValueRef *sizes = pieces + 1, *strides = sizes + type->rank;
  LLVMValueRef wrong = LLVMConstNull(LLVMInt1TypeInContext(e->context));
  pieces[0] = address;
  for (unsigned i = 0; i < type->rank; i++) {
    bool dynamic = type->shape[i] == IR_DYNAMIC;
    LLVMValueRef given = load_extent(e, dims, first_extent + i);
    sizes[i] = dynamic ? given : emit_index(e, type->shape[i]);
    LLVMValueRef bound = dynamic ? emit_index(e, 0) : sizes[i];
    LLVMValueRef differs = LLVMBuildICmp(e->builder, dynamic ? LLVMIntSLT : LLVMIntNE, given, bound, "");
    wrong = LLVMBuildOr(e->builder, wrong, differs, "");
  }
  emit_row_major(e, type->rank, sizes, strides);
  for (unsigned i = 0; type->strides && i < type->rank; i++) {
    if (type->strides[i] == IR_DYNAMIC)
      continue;
    LLVMValueRef differs = LLVMBuildICmp(e->builder, LLVMIntNE, strides[i], emit_index(e, type->strides[i]), "");
    wrong = LLVMBuildOr(e->builder, wrong, differs, "");
  }
  return wrong;
}

/* Where in `data` each argument, then each returned scalar, has its pointer: in order, but for results that bufferize
 * has moved (tec.result_order). NULL after an error. */
static unsigned *data_numbers(emitter *e, const ir_op *op, const ir_type *type) {
  unsigned total = type->num_inputs + type->num_results, num_moved = 0;
  unsigned *numbers = IR_NEW_ARRAY(&e->arena, unsigned, total + 1);
  const int64_t *order = ir_attr_i64s_of(op, "tec.result_order", &num_moved);
  if (ir_attr_get(op, "tec.result_order") && !order)
    num_moved = total + 1;
  bool fits = num_moved <= total;
  unsigned first = fits ? total - num_moved : 0;
  for (unsigned i = 0; fits && i < total; i++) {
    fits = i < first || (order[i - first] >= 0 && order[i - first] < num_moved);
    numbers[i] = i < first ? i : fits ? first + (unsigned)order[i - first] : 0;
  }
  if (fits)
    return numbers;
  ir_op_error(op, "has a tec.result_order that does not fit its type");
  return NULL;
}

/* int32_t NAME(void *const *data, const int64_t *dims, const tec_host_env *env): see host_abi.h. */
static bool emit_kernel_wrapper(emitter *e, const ir_op *op) {
  const ir_type *type = function_type(op);
  LLVMValueRef wrapper = begin_wrapper(e, op, ir_attr_string_or(op, "sym_name", ""));
  if (!wrapper)
    return false;
  LLVMValueRef data = LLVMGetParam(wrapper, 0), dims = LLVMGetParam(wrapper, 1), body = emit_function_of(e, op);
  LLVMValueRef *arguments = IR_NEW_ARRAY(&e->arena, LLVMValueRef, LLVMCountParams(body)), *next = arguments;
  *next++ = LLVMGetParam(wrapper, 2);
  unsigned extent = 0, *numbers = data_numbers(e, op, type);
  if (!numbers)
    return false;
  for (unsigned i = 0; i < type->num_inputs; i++) {
    const ir_type *input = type->inputs[i];
    LLVMValueRef address = load_pointer(e, data, numbers[i]);
    if (input->kind == IR_TYPE_MEMREF) {
      return_if(e, FAILED, memref_argument(e, input, address, dims, extent, next));
      extent += input->rank;
    } else if (input->kind == IR_TYPE_SCALAR) {
      *next = emit_load(e, input->element, address, 0);
    } else {
      return ir_op_error(op, "is public, but argument %u is neither a memref nor a scalar", i);
    }
    next += emit_num_pieces(e, op, input);
  }
  if (e->uses_tiles)
    return_if(e, REFUSED, emit_tiles_refused(e));
  LLVMTypeRef body_type = LLVMGlobalGetValueType(body);
  LLVMValueRef returned = LLVMBuildCall2(e->builder, body_type, body, arguments, LLVMCountParams(body), "");
  LLVMValueRef status = LLVMBuildExtractValue(e->builder, returned, 0, "");
  return_if(e, FAILED, LLVMBuildIsNotNull(e->builder, status, ""));
  for (unsigned i = 0; i < type->num_results; i++) {
    if (type->results[i]->kind != IR_TYPE_SCALAR)
      return ir_op_error(op, "is public, but result %u is neither a tensor nor a scalar", i);
    LLVMValueRef result = LLVMBuildExtractValue(e->builder, returned, i + 1, "");
    emit_store(e, type->results[i]->element, result, load_pointer(e, data, numbers[type->num_inputs + i]));
  }
  LLVMBuildRet(e->builder, LLVMConstNull(status_type(e)));
  return true;
}

/* The integer arguments that `tec.positions` lists, which the function of shapes takes last, as numbers of 64 bits. */
static void load_positions(emitter *e, const ir_op *op, LLVMValueRef data, unsigned count, const int64_t *positions,
                           LLVMValueRef *values) {
  for (unsigned i = 0; i < count; i++) {
    ir_scalar element = function_type(op)->inputs[positions[i]]->element;
    LLVMValueRef value = emit_load(e, element, load_pointer(e, data, (unsigned)positions[i]), 0);
    values[i] = LLVMBuildIntCast2(e->builder, value, LLVMInt64TypeInContext(e->context), true, "");
  }
}

/* int32_t NAME_shapes(const int64_t *dims, int64_t *result_dims, void *const *data): calls the function that
 * `tec.shapes` names, which maps extents and positions to (0 or a line, extents). */
static bool emit_shapes_wrapper(emitter *e, const ir_op *op) {
  const char *name = ir_attr_string_or(op, "tec.shapes", NULL), *kernel = ir_attr_string_or(op, "sym_name", "");
  if (!name)
    return true;
  const ir_op *shapes = ir_module_lookup(e->module, name);
  LLVMValueRef body = emit_function_of(e, shapes);
  if (!body)
    return ir_op_error(op, "names '%s' in tec.shapes, which has no body", name);
  const ir_type *type = function_type(shapes);
  bool fits = type->num_results > 0;
  unsigned num_dims = 0;
  for (unsigned i = 0; i < ir_region(op, 0)->num_args; i++)
    num_dims += ir_region(op, 0)->args[i]->type->rank;
  unsigned num_positions = 0;
  const int64_t *positions = ir_attr_i64s_of(op, "tec.positions", &num_positions);
  unsigned num_extents = type->num_inputs - num_positions;
  fits &= num_positions <= type->num_inputs && num_extents <= num_dims && type->num_results <= num_dims + 1;
  for (unsigned i = 0; i < type->num_inputs; i++)
    fits &= type->inputs[i] == ir_type_index(e->module);
  for (unsigned i = 0; i < type->num_results; i++)
    fits &= type->results[i] == ir_type_index(e->module);
  if (!fits)
    return ir_op_error(shapes,
                       "serves as tec.shapes, so it must map indices to a line and extents of what the function has");
  size_t size = strlen(kernel);
  char *symbol = ir_arena_alloc(&e->arena, size + sizeof "_shapes");
  memcpy(memcpy(symbol, kernel, size) + size, "_shapes", sizeof "_shapes");
  LLVMValueRef wrapper = begin_wrapper(e, op, symbol);
  if (!wrapper)
    return false;
  LLVMValueRef *arguments = IR_NEW_ARRAY(&e->arena, LLVMValueRef, type->num_inputs + 1);
  arguments[0] = LLVMConstNull(pointer_type(e));
  for (unsigned i = 0; i < num_extents; i++)
    arguments[i + 1] = load_extent(e, LLVMGetParam(wrapper, 0), i);
  load_positions(e, op, LLVMGetParam(wrapper, 2), num_positions, positions, arguments + 1 + num_extents);
  LLVMValueRef returned =
      LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(body), body, arguments, type->num_inputs + 1, "");
  for (unsigned i = 1; i < type->num_results; i++) {
    LLVMValueRef address = emit_address(e, IR_I64, LLVMGetParam(wrapper, 1), emit_index(e, i - 1));
    emit_store(e, IR_I64, LLVMBuildExtractValue(e->builder, returned, i + 1, ""), address);
  }
  LLVMValueRef misfit = LLVMBuildExtractValue(e->builder, returned, 1, "");
  LLVMBuildRet(e->builder, LLVMBuildTrunc(e->builder, misfit, status_type(e), ""));
  return true;
}

static bool emit_module(emitter *e) {
  const ir_block *block = ir_region(e->module->root, 0);
  for (const ir_op *op = block->first; op; op = op->next) {
    if (op->code == OP_BUILTIN_MODULE)
      return ir_op_error(op, "is nested; the host backend takes one module");
    if (ir_is_defined_function(op) && !declare_function(e, op))
      return false;
  }
  for (const ir_op *op = block->first; op; op = op->next)
    if (ir_is_defined_function(op) && !define_function(e, op))
      return false;
  for (const ir_op *op = block->first; op; op = op->next)
    if (ir_is_exported(op) && !(emit_kernel_wrapper(e, op) && emit_shapes_wrapper(e, op)))
      return false;
  return true;
}

/* -------------------------------------------------------------------------------------------------- LLVM's passes */

/* Equal kernels become one first. Vectors, unrolling factors and tiles are chosen before LLVM sees the code, so of its
 * passes only those run that clean up: addresses are simplified, invariants hoisted. That takes a fifth of the time of
 * its O2. Its unrolling makes no loop of ours faster, but a fifth more code, and takes longer than other passes; its
 * work on induction variables (indvars), its global value numbering (gvn) and combining instructions once more behind
 * the loops each take a twentieth of all time or more, and change next to nothing. Loops that are emitted with the test
 * at their end need no loop-rotate, 3% of the time, but get other induction variables: where all registers are in use,
 * for 3 queries of 128 features, that took 1.3 times as long (Zen 4). */
static const char merge[] = "mergefunc";
static const char clean[] = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),"
                            "inline,globaldce,function(loop-mssa(loop-rotate,licm),early-cse<memssa>,instsimplify,"
                            "simplifycfg)";

/* As an object file in parts, where that is faster. */
static bool write_code(emitter *e, LLVMTargetMachineRef machine, backend_output output, char **bytes, size_t *size) {
  unsigned count = output == BACKEND_OBJECT ? parts_count(e) : 1;
  return count > 1 ? parts_write(e, machine, count, clean, bytes, size)
                   : emit_optimize_further(e, machine, clean) && emit_write(e, machine, output, bytes, size);
}

bool backend_emit_host(ir_module *module, const target_facts *facts, backend_output output, char **bytes,
                       size_t *size) {
  emitter e;
  backend_initialize_llvm();
  if (!emitter_init(&e, module, facts, &host_target))
    return false;
  e.has_scale = facts->vector_bits >= 512;
  e.has_half = facts->vector_bits >= 256 || !strncmp(facts->triple, "aarch64", 7);
  LLVMTargetMachineRef machine = emit_create_machine(&e);
  bool ok =
      machine && emit_module(&e) && emit_optimize(&e, machine, merge) && write_code(&e, machine, output, bytes, size);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  emitter_destroy(&e);
  return ok;
}
