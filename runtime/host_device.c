/* host_device.c - runs host programs in this process: kernels by the interface in host_abi.h, loops on the context's
 * threads, scratch memory from the C library and counted. */
#include "runtime/runtime.h"

#include <elf.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the env's functions get. `held` and `peak`: scratch memory in bytes. `in_loop`: a loop is under way, so that a
 * call comes from one of its bodies. */
typedef struct host_call {
  tec_context *context;
  atomic_bool in_loop;
  _Atomic size_t held, peak;
} host_call;

static void host_parallel_for(void *env_context, int64_t count, void (*body)(void *data, int64_t i), void *data) {
  host_call *call = env_context;
  tec_context *context = call->context;
  if (count <= 1 || atomic_exchange(&call->in_loop, true)) {
    for (int64_t i = 0; i < count; i++)
      body(data, i);
    return;
  }
  if (context->parallel_for)
    context->parallel_for(context->user, count, body, data);
  else
    thread_pool_run(context->pool, count, body, data);
  atomic_store(&call->in_loop, false);
}

/* A block has its size in front, at a distance that keeps the alignment. */
static void *host_allocate(void *env_context, size_t size) {
  host_call *call = env_context;
  if (size > PTRDIFF_MAX - 2 * RUNTIME_ALIGNMENT)
    return NULL;
  char *block = runtime_allocate(size + RUNTIME_ALIGNMENT);
  if (!block)
    return NULL;
  memcpy(block, &size, sizeof size);
  size_t held = atomic_fetch_add(&call->held, size) + size, peak = atomic_load(&call->peak);
  while (held > peak && !atomic_compare_exchange_weak(&call->peak, &peak, held))
    continue;
  return block + RUNTIME_ALIGNMENT;
}

static void host_release(void *env_context, void *memory) {
  if (!memory)
    return;
  char *block = (char *)memory - RUNTIME_ALIGNMENT;
  size_t size;
  memcpy(&size, block, sizeof size);
  atomic_fetch_sub(&((host_call *)env_context)->held, size);
  free(block);
}

/* Loaders would take code for another architecture for ours. What is no object at all is left to them. */
static bool is_for_another_architecture(const tec_program *program) {
#if defined __x86_64__
  const Elf64_Half ours = EM_X86_64;
#elif defined __aarch64__
  const Elf64_Half ours = EM_AARCH64;
#endif
  Elf64_Ehdr header;
  if (program->code_size < sizeof header)
    return false;
  memcpy(&header, program->code, sizeof header);
  return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_machine != ours;
}

/* A loaded program: each entry point's functions are looked up once, which takes as long as a small product. */
typedef struct host_functions {
  tec_host_kernel kernel;
  tec_host_shapes shapes;
} host_functions;

typedef struct host_code {
  void *code; /* the loader's */
  host_functions functions[];
} host_code;

static void host_unload(void *loaded) {
  host_code *code = loaded;
  if (code->code)
    runtime_platform.loader->unload(code->code);
  free(code);
}

/* The kernel `name` and, by `suffix`, what belongs to it. NULL after a reported error. */
static void *find_symbol(tec_context *context, void *code, const char *name, const char *suffix) {
  byte_buffer symbol = {0};
  byte_buffer_printf(&symbol, "%s%s", name, suffix);
  void *address = symbol.failed ? NULL : runtime_platform.loader->find(code, symbol.bytes);
  if (!address)
    runtime_error(context, TEC_INVALID, "the program's code has no '%s%s'", name, suffix);
  free(symbol.bytes);
  return address;
}

static tec_status load_code(tec_program *program, host_code *code) {
  tec_context *context = program->context;
  tec_status status = runtime_platform.loader->load(context, program->code, program->code_size, &code->code);
  for (unsigned i = 0; !status && i < program->num_entries; i++) {
    const char *name = program->entries[i].name;
    host_functions *functions = &code->functions[i];
    functions->kernel = (tec_host_kernel)(uintptr_t)find_symbol(context, code->code, name, "");
    if (functions->kernel)
      functions->shapes = (tec_host_shapes)(uintptr_t)find_symbol(context, code->code, name, "_shapes");
    if (!functions->shapes)
      status = TEC_INVALID;
  }
  return status;
}

static tec_status host_load(tec_program *program, void **loaded) {
  if (is_for_another_architecture(program))
    return runtime_error(program->context, TEC_INVALID, "the program's code is for another kind of processor, '%s'",
                         program->target);
  host_code *code = calloc(1, sizeof *code + program->num_entries * sizeof code->functions[0]);
  if (!code)
    return runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
  tec_status status = load_code(program, code);
  if (status)
    host_unload(code);
  else
    *loaded = code;
  return status;
}

static const host_functions *functions_of(const tec_program *program, const tec_entry *entry) {
  return &((const host_code *)program->loaded)->functions[entry - program->entries];
}

/* Asks the program for the extents of its results and creates or checks them. */
static tec_status prepare_results(tec_program *program, const tec_entry *entry, const int64_t *dims,
                                  int64_t *result_dims, void *const *data, DLManagedTensor **results) {
  int32_t misfit = functions_of(program, entry)->shapes(dims, result_dims, data);
  if (misfit)
    return call_misfit(program, entry, misfit);
  for (uint32_t i = 0; i < entry->num_results; i++) {
    tec_status status = call_result(program, entry, i, result_dims, &results[i]);
    if (status)
      return status;
    result_dims += entry->results[i].ndim;
  }
  return TEC_OK;
}

static tec_status run_kernel(tec_program *program, const tec_entry *entry, void *const *data, const int64_t *dims) {
  tec_context *context = program->context;
  if (!context->parallel_for && !context->pool)
    context->pool = thread_pool_create(context->threads, context->spin);
  if (!context->parallel_for && !context->pool)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  host_call call = {.context = context};
  tec_host_env env = {&call, host_parallel_for, host_allocate, host_release};
  enum { REFUSED = 3 }; /* host_abi.h */
  int32_t failed = functions_of(program, entry)->kernel(data, dims, &env);
  program->scratch_bytes = call.peak;
  if (failed == REFUSED)
    return runtime_error(context, TEC_INVALID,
                         "'%s' needs the matrix unit of '%s', which the system does not let this process use",
                         entry->name, program->target);
  if (failed)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "no scratch memory for '%s'", entry->name);
  return TEC_OK;
}

static tec_status host_run(tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                           DLManagedTensor **results) {
  size_t num_dims = 0, num_argument_dims;
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    num_dims += (size_t)entry->arguments[i].ndim;
  num_argument_dims = num_dims;
  for (uint32_t i = 0; i < entry->num_results; i++)
    num_dims += (size_t)entry->results[i].ndim;
  /* A function on memory alone has no results here, but may tell extents of some of its arguments as if they were. */
  int64_t *dims = calloc(num_dims + num_argument_dims + 1, sizeof *dims), *next = dims;
  void **data = calloc(entry->num_arguments + entry->num_results + 1, sizeof *data);
  tec_status status = TEC_OUT_OF_MEMORY;
  if (!dims || !data) {
    runtime_error(program->context, status, "out of memory");
  } else {
    for (uint32_t i = 0; i < entry->num_arguments; i++) {
      for (int32_t d = 0; d < arguments[i]->ndim; d++)
        *next++ = arguments[i]->shape[d];
      data[i] = runtime_tensor_data(arguments[i]);
    }
    status = prepare_results(program, entry, dims, dims + num_argument_dims, data, results);
  }
  if (!status) {
    for (uint32_t i = 0; i < entry->num_results; i++)
      data[entry->num_arguments + i] = runtime_tensor_data(&results[i]->dl_tensor);
    status = run_kernel(program, entry, data, dims);
  }
  free(dims);
  free(data);
  return status;
}

static const program_runner host_runner = {.load = host_load, .call = host_run, .unload = host_unload};

const runtime_device host_device = {
    .name = "host",
    .target = "host",
    .doc = "this machine's processor",
    .runner = &host_runner,
};
