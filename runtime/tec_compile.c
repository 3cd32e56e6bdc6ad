/* tec_compile.c - from a module to a program: the facts about entry points, and LLVM's linker for host code.
 *
 * The facts (types, flops) are taken from the module as it was written, before any pass; only the tile sizes are read
 * on the way, from the loops that there are before the VECTOR stage. */
#include "backend/backend.h"
#include "ir/build.h"
#include "ir/text.h"
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------- facts of entry points */

/* The element type in which a scalar type is passed to and from programs; false if it cannot be (i4). */
static bool find_dtype(ir_scalar scalar, DLDataType *dtype) {
  unsigned bits = ir_scalar_bits(scalar);
  if (scalar == IR_I1)
    *dtype = runtime_dtype(kDLBool, 8);
  else if (scalar == IR_BF16)
    *dtype = runtime_dtype(kDLBfloat, 16);
  else
    *dtype = runtime_dtype(ir_scalar_is_float(scalar) ? kDLFloat : kDLInt, (uint8_t)bits);
  return runtime_dtype_known(*dtype);
}

/* The entry points of a module. Everything they point to is in the module's arena. */
typedef struct entry_list {
  unsigned count;
  tec_entry *entries;
  bool double_results; /* float results come back as f64 */
  bool c_names;        /* those that C cannot use are refused */
} entry_list;

static bool entry_type(const ir_op *function, const ir_type *type, tec_type *out) {
  bool shaped = type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_MEMREF;
  if ((!shaped && type->kind != IR_TYPE_SCALAR) || !find_dtype(type->element, &out->dtype) || type->strides)
    return ir_op_error(function, "cannot be called from outside: type %s has no counterpart there; make it private",
                       ir_print_type(function->module, type));
  out->kind = type->kind == IR_TYPE_SCALAR   ? TEC_KIND_SCALAR
              : type->kind == IR_TYPE_TENSOR ? TEC_KIND_TENSOR
                                             : TEC_KIND_BUFFER;
  out->ndim = shaped ? type->rank : 0;
  int64_t *shape = IR_NEW_ARRAY(&function->module->arena, int64_t, out->ndim + 1);
  for (int32_t d = 0; d < out->ndim; d++)
    shape[d] = type->shape[d] == IR_DYNAMIC ? -1 : type->shape[d];
  out->shape = shape;
  return true;
}

/* Of the contractions of a function. 0: unknown, because of dynamic extents, loops or calls. */
static double flops_of(const ir_op *function) {
  double flops = 0;
  for (const ir_op *op = ir_next_inside(function, function); op; op = ir_next_inside(function, op)) {
    if (op->code == OP_FUNC_CALL || ir_op_has(op, IR_LOOP))
      return 0;
    if (!ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op))
      continue;
    double product = 2;
    for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++) {
      if (ir_loop_size(op, loop) == IR_DYNAMIC)
        return 0;
      product *= (double)ir_loop_size(op, loop);
    }
    flops += product;
  }
  return flops;
}

static bool collect_entry(ir_op *function, const entry_list *list, tec_entry *entry) {
  const char *name = ir_attr_string_or(function, "sym_name", "");
  if (list->c_names && !program_name_is_c(name))
    return ir_error(function->module, function->loc, "the function name '%s' cannot be used in C", name);
  ir_arena *arena = &function->module->arena;
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  unsigned num_tied = 0;
  const int64_t *tied = ir_attr_i64s_of(function, "tec.tied", &num_tied);
  unsigned num_results = type->num_results - num_tied;
  tec_type *arguments = IR_NEW_ARRAY(arena, tec_type, type->num_inputs + 1);
  tec_type *results = IR_NEW_ARRAY(arena, tec_type, type->num_results + 1);
  for (unsigned i = 0; i < type->num_inputs; i++)
    if (!entry_type(function, type->inputs[i], &arguments[i]))
      return false;
  for (unsigned i = 0; i < num_tied; i++)
    arguments[tied[i]].kind = TEC_KIND_BUFFER;
  for (unsigned i = 0; i < num_results; i++) {
    if (!entry_type(function, type->results[i], &results[i]))
      return false;
    if (list->double_results && runtime_dtype_is_float(results[i].dtype))
      results[i].dtype = runtime_dtype(kDLFloat, 64);
  }
  *entry = (tec_entry){.name = name,
                       .num_arguments = type->num_inputs,
                       .num_results = num_results,
                       .arguments = arguments,
                       .results = results,
                       .flops = flops_of(function),
                       .tiles = ""};
  return true;
}

static bool collect_entries(tec_module *module, entry_list *list) {
  ir_block *body = ir_region(module->ir->root, 0);
  unsigned count = 0;
  for (ir_op *op = body->first; op; op = op->next)
    count += ir_is_exported(op);
  list->entries = IR_NEW_ARRAY(&module->ir->arena, tec_entry, count + 1);
  for (ir_op *op = body->first; op; op = op->next)
    if (ir_is_exported(op) && !collect_entry(op, list, &list->entries[list->count++]))
      return false;
  if (!list->count)
    return ir_error(module->ir, (ir_loc){.source = 1}, "there is no public function to compile");
  return true;
}

/* LLVM takes time and memory by the square of the results: it keeps the order of the stores of each pair. */
enum { MAX_RESULTS = 1 << 10 };

static bool counts_are_sensible(tec_module *module) {
  for (const ir_op *op = ir_region(module->ir->root, 0)->first; op; op = op->next) {
    const ir_attr *type = op->code == OP_FUNC_FUNC ? ir_attr_get(op, "function_type") : NULL;
    if (type && type->type->num_inputs > RUNTIME_MAX_ARGUMENTS)
      return ir_op_error(op, "has %u arguments, but can only be compiled with %d or less", type->type->num_inputs,
                         RUNTIME_MAX_ARGUMENTS);
    if (type && type->type->num_results > MAX_RESULTS)
      return ir_op_error(op, "has %u results, but can only be compiled with %d or less", type->type->num_results,
                         MAX_RESULTS);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------ tile sizes */

static void append_step(byte_buffer *text, bool first, int64_t step) {
  if (!first)
    byte_buffer_printf(text, "x");
  if (step == IR_DYNAMIC)
    byte_buffer_printf(text, "?");
  else
    byte_buffer_printf(text, "%lld", (long long)step);
}

/* The steps of a loop: "forall 1x64, for 128", one behind the other. */
static void append_tiles(byte_buffer *text, const ir_op *op) {
  const ir_attr *constant;
  unsigned count;
  const int64_t *steps = ir_attr_i64s_of(op, "staticStep", &count);
  const char *separator = text->size ? ", " : "";
  if (op->code == OP_SCF_FORALL && steps) {
    byte_buffer_printf(text, "%sforall ", separator);
    for (unsigned i = 0; i < count; i++)
      append_step(text, i == 0, steps[i]);
  } else if (op->code == OP_SCF_FOR) {
    byte_buffer_printf(text, "%sfor ", separator);
    append_step(text, true, ir_value_constant(ir_operand(op, 2), &constant) ? constant->value : IR_DYNAMIC);
  }
}

/* Stands between the pass manager and the caller's on_time. */
typedef struct compile_watch {
  const compiler_run *run;
  entry_list *list;
  bool past_tiles; /* what loops there are now is no longer the schedule's choice */
} compile_watch;

static void after_pass(void *user, const char *pass, double seconds) {
  compile_watch *watch = user;
  ir_module *ir = watch->run->module->ir;
  const tec_compile_options *options = &watch->run->options;
  if (options->on_time)
    options->on_time(options->user, pass, seconds);
  unsigned stages = 0;
  for (unsigned i = 0; i < pass_count(); i++)
    if (!strcmp(pass_get(i)->name, pass))
      stages = pass_get(i)->result_stages;
  watch->past_tiles |= (stages & IR_STAGE_VECTOR) != 0;
  if (watch->past_tiles)
    return;
  for (unsigned i = 0; i < watch->list->count; i++) {
    const ir_op *function = ir_module_lookup(ir, watch->list->entries[i].name);
    byte_buffer text = {0};
    for (const ir_op *op = function; op; op = ir_next_inside(function, op))
      append_tiles(&text, op);
    if (text.size && !text.failed)
      watch->list->entries[i].tiles = ir_intern(ir, text.bytes, text.size);
    free(text.bytes);
  }
}

/* ------------------------------------------------------------------------------------------------------- compiling */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Runs the target's passes. */
static tec_status lower(const compiler_run *run, entry_list *list) {
  compile_watch watch = {run, list, false};
  pass_options passes = run->passes;
  passes.time_sink = after_pass;
  passes.time_user = &watch;
  return compiler_status(run, pass_run(run->module->ir, pass_default_list(&run->facts), &passes));
}

/* What a target's backend made. */
typedef struct emitted {
  char *code; /* from malloc */
  size_t size;
  unsigned num_routines;
  const backend_routine *routines; /* in the module's arena */
} emitted;

/* Code generation is the last step, so nothing but the whole way from the source shows a fault of it again. */
static tec_status emit(const compiler_run *run, backend_output output, emitted *out) {
  double start = now();
  *out = (emitted){0};
  ir_module *ir = run->module->ir;
  bool ok = run->facts.kind == TARGET_HOST ? backend_emit_host(ir, &run->facts, output, &out->code, &out->size)
                                           : backend_emit_kernels(ir, &run->facts, output, &out->code, &out->size,
                                                                  &out->num_routines, &out->routines);
  if (!ok && ir->broken_by && ir->num_sources == 1)
    compiler_keep_fault(run, "compile -o /dev/null", ir->sources[0].text);
  if (ok && run->options.on_time)
    run->options.on_time(run->options.user, "code generation", now() - start);
  return compiler_status(run, ok);
}

/* The routines in the order of the entry points; NULL where the code does it all. */
static tec_status order_routines(tec_module *module, const entry_list *list, const emitted *code,
                                 const program_routine **routines) {
  *routines = NULL;
  if (!code->routines)
    return TEC_OK;
  program_routine *ordered = IR_NEW_ARRAY(&module->ir->arena, program_routine, list->count + 1);
  for (unsigned i = 0; i < list->count; i++) {
    unsigned k = 0;
    while (k < code->num_routines && strcmp(code->routines[k].name, list->entries[i].name))
      k++;
    if (k == code->num_routines)
      return runtime_error(module->context, TEC_INTERNAL, "the passes have lost the function '%s'",
                           list->entries[i].name);
    ordered[i] = code->routines[k].routine;
  }
  *routines = ordered;
  return TEC_OK;
}

/* The text for the interpreter: the source itself where the module still is what that says, as its messages show lines
 * of it. */
static tec_status take_text(tec_module *module, const ir_source **source, emitted *out) {
  const ir_module *ir = module->ir;
  if (ir->rewritten || ir->num_sources != 1)
    return tec_module_print(module, false, &out->code, &out->size);
  *source = &ir->sources[0];
  out->size = (*source)->size;
  out->code = malloc(out->size + 1);
  if (!out->code)
    return runtime_error(module->context, TEC_OUT_OF_MEMORY, "out of memory");
  memcpy(out->code, (*source)->text, out->size);
  return TEC_OK;
}

static tec_status name_source(tec_program **program, const ir_source *source) {
  tec_context *context = (*program)->context;
  (*program)->source = strdup(source->name);
  if ((*program)->source)
    return TEC_OK;
  tec_program_destroy(*program);
  *program = NULL;
  return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
}

tec_status tec_module_compile(tec_module *module, const tec_compile_options *given, tec_program **program) {
  compiler_run run;
  tec_status status = compiler_begin(&run, module, given);
  if (status)
    return status;
  bool is_text = run.code == CODE_TEXT;
  entry_list list = {.double_results = !strcmp(run.options.target, "interp:double"), .c_names = run.options.c_names};
  if (!counts_are_sensible(module) || !collect_entries(module, &list))
    return TEC_INVALID;
  emitted code = {0};
  const program_routine *routines;
  const ir_source *source = NULL;
  status = is_text ? take_text(module, &source, &code) : lower(&run, &list);
  if (!status && !is_text)
    status = emit(&run, BACKEND_OBJECT, &code);
  if (!status)
    status = order_routines(module, &list, &code, &routines);
  if (!status)
    status = program_create(module->context, is_text ? run.options.target : run.facts.name, list.count, list.entries,
                            routines, code.code, code.size, program);
  free(code.code);
  if (!status && source)
    status = name_source(program, source);
  return status;
}

tec_status tec_module_emit(tec_module *module, tec_output output, const tec_compile_options *given, char **text,
                           size_t *size) {
  compiler_run run;
  tec_status status = compiler_begin(&run, module, given);
  if (status)
    return status;
  if ((unsigned)output > TEC_OUTPUT_ASSEMBLY)
    return runtime_error(module->context, TEC_INVALID, "there is no tec_output %d", (int)output);
  if (run.code == CODE_TEXT)
    return runtime_error(module->context, TEC_INVALID, "the target '%s' has no code to emit", run.options.target);
  if (!counts_are_sensible(module))
    return TEC_INVALID;
  entry_list list = {0};
  status = lower(&run, &list);
  if (status)
    return status;
  if (output == TEC_OUTPUT_MLIR)
    return tec_module_print(module, false, text, size);
  emitted code;
  status = emit(&run, output == TEC_OUTPUT_LLVM ? BACKEND_LLVM : BACKEND_ASSEMBLY, &code);
  if (status)
    return status;
  *text = code.code;
  if (size)
    *size = code.size;
  return TEC_OK;
}

/* ------------------------------------------------------------------------------------------------ loading host code */

#ifdef __x86_64__
#define HOST_LOADER elf_loader
#else /* through LLVM's own linker */
#define HOST_LOADER jit_loader

/* backend_jit_* report through a module; an empty one carries their messages to the context. */
typedef struct jit_code {
  ir_module *messages;
  backend_jit *jit;
} jit_code;

static void jit_unload(void *loaded) {
  jit_code *code = loaded;
  if (code->jit)
    backend_jit_destroy(code->jit);
  if (code->messages)
    ir_module_destroy(code->messages);
  free(code);
}

static tec_status jit_load(tec_context *context, const char *object, size_t size, void **loaded) {
  jit_code *code = calloc(1, sizeof *code);
  if (code)
    code->messages = ir_module_create(compiler_message, context);
  if (!code || !code->messages) {
    free(code);
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  }
  if (!backend_jit_create(code->messages, object, size, &code->jit)) {
    code->jit = NULL;
    jit_unload(code);
    return TEC_INVALID;
  }
  *loaded = code;
  return TEC_OK;
}

static void *jit_find(void *loaded, const char *symbol) {
  return backend_jit_lookup(((jit_code *)loaded)->jit, symbol);
}

static const code_loader jit_loader = {jit_load, jit_find, jit_unload};
#endif

#define RUNTIME_DEVICE(ID) &ID##_device,
#define COMPILER_DEVICE(ID) &ID##_device,
#define DEVICE(ID, NEEDS) NEEDS##_DEVICE(ID)
static const runtime_device *const devices[] = {
#include "runtime/device.def"
    NULL};

const runtime_platform_row runtime_platform = {.devices = devices, .loader = &HOST_LOADER};
