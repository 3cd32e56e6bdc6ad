/* cuda.c - the device "cuda": NVIDIA's driver interface, loaded when it is first needed. No CUDA headers or libraries
 * are needed to build or to start; the declarations are ours.
 *
 * A session holds the driver's library, the device's primary context (which it shares with whatever else in the process
 * uses that device, PyTorch for one), the program's module and two events. The context is current only between enter
 * and leave, so that the caller's own is left alone. Every call of the driver is checked. */
#include "runtime/kernel_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- declarations */

typedef int cuda_result; /* 0: success */
typedef int cuda_device_number;
typedef uint64_t cuda_address;
typedef struct cuda_context_handle *cuda_context;
typedef struct cuda_module_handle *cuda_module;
typedef struct cuda_function_handle *cuda_function;
typedef struct cuda_stream_handle *cuda_stream;
typedef struct cuda_event_handle *cuda_event;

enum {
  ATTRIBUTE_MAJOR = 75,
  ATTRIBUTE_MINOR = 76,
  ATTRIBUTE_SHARED_BYTES = 97, /* that a block may ask for */
  FUNCTION_SHARED_BYTES = 8,   /* dynamic, above 48 KB only after it is set */
  JIT_ERROR_LOG = 5,
  JIT_ERROR_LOG_SIZE = 6,
  DEFAULT_SHARED_BYTES = 48 * 1024,
  LOG_BYTES = 4096,
  NAME_BYTES = 128
};

/* SYMBOL(field, the driver's name, parameters) */
#define CUDA_SYMBOLS(SYMBOL)                                                                                           \
  SYMBOL(initialise, cuInit, (unsigned flags))                                                                         \
  SYMBOL(driver_version, cuDriverGetVersion, (int *version))                                                           \
  SYMBOL(error_name, cuGetErrorName, (cuda_result result, const char **name))                                          \
  SYMBOL(error_text, cuGetErrorString, (cuda_result result, const char **text))                                        \
  SYMBOL(device_count, cuDeviceGetCount, (int *count))                                                                 \
  SYMBOL(device_get, cuDeviceGet, (cuda_device_number * device, int ordinal))                                          \
  SYMBOL(device_name, cuDeviceGetName, (char *name, int size, cuda_device_number device))                              \
  SYMBOL(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, cuda_device_number device))               \
  SYMBOL(context_retain, cuDevicePrimaryCtxRetain, (cuda_context * context, cuda_device_number device))                \
  SYMBOL(context_release, cuDevicePrimaryCtxRelease_v2, (cuda_device_number device))                                   \
  SYMBOL(context_push, cuCtxPushCurrent_v2, (cuda_context context))                                                    \
  SYMBOL(context_pop, cuCtxPopCurrent_v2, (cuda_context * context))                                                    \
  SYMBOL(module_load, cuModuleLoadDataEx,                                                                              \
         (cuda_module * module, const void *code, unsigned num_options, int *options, void **values))                  \
  SYMBOL(module_unload, cuModuleUnload, (cuda_module module))                                                          \
  SYMBOL(module_function, cuModuleGetFunction, (cuda_function * function, cuda_module module, const char *name))       \
  SYMBOL(function_set, cuFuncSetAttribute, (cuda_function function, int attribute, int value))                         \
  SYMBOL(allocate, cuMemAlloc_v2, (cuda_address * address, size_t size))                                               \
  SYMBOL(release, cuMemFree_v2, (cuda_address address))                                                                \
  SYMBOL(copy_in, cuMemcpyHtoDAsync_v2, (cuda_address to, const void *from, size_t size, cuda_stream stream))          \
  SYMBOL(copy_out, cuMemcpyDtoHAsync_v2, (void *to, cuda_address from, size_t size, cuda_stream stream))               \
  SYMBOL(synchronise, cuStreamSynchronize, (cuda_stream stream))                                                       \
  SYMBOL(event_create, cuEventCreate, (cuda_event * event, unsigned flags))                                            \
  SYMBOL(event_destroy, cuEventDestroy_v2, (cuda_event event))                                                         \
  SYMBOL(event_record, cuEventRecord, (cuda_event event, cuda_stream stream))                                          \
  SYMBOL(event_synchronise, cuEventSynchronize, (cuda_event event))                                                    \
  SYMBOL(event_elapsed, cuEventElapsedTime, (float *milliseconds, cuda_event start, cuda_event end))                   \
  SYMBOL(launch, cuLaunchKernel,                                                                                       \
         (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                 \
          unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream stream, void **values, void **extra))

typedef struct cuda_api {
  void *library;
#define SYMBOL(FIELD, NAME, PARAMETERS) cuda_result(*FIELD) PARAMETERS;
  CUDA_SYMBOLS(SYMBOL)
#undef SYMBOL
} cuda_api;

/* What was opened so far is what close undoes. */
typedef struct cuda_session {
  tec_context *context;
  cuda_api api;
  cuda_device_number device;
  int chip;           /* 80 for sm_80 */
  int driver_version; /* 12040 for CUDA 12.4 */
  int shared_bytes;   /* the most a block may have */
  char name[NAME_BYTES];
  cuda_context primary;
  cuda_module module;
  cuda_event events[2];
  cuda_stream stream;
} cuda_session;

/* --------------------------------------------------------------------------------------------------- driver, device */

static tec_status load_api(tec_context *context, cuda_api *api) {
  api->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!api->library)
    return runtime_error(context, TEC_INVALID,
                         "the device 'cuda' needs NVIDIA's driver, and it cannot be loaded: %s (the device 'ptx-emu' "
                         "needs none)",
                         dlerror());
#define SYMBOL(FIELD, NAME, PARAMETERS)                                                                                \
  *(void **)(&api->FIELD) = dlsym(api->library, #NAME);                                                                \
  if (!api->FIELD)                                                                                                     \
    return runtime_error(context, TEC_INVALID, "NVIDIA's driver is too old: it has no %s", #NAME);
  CUDA_SYMBOLS(SYMBOL)
#undef SYMBOL
  return TEC_OK;
}

/* The driver's words for a result: "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed". */
static void describe(const cuda_session *session, cuda_result result, byte_buffer *text) {
  const char *name = NULL, *words = NULL;
  if (session->api.error_name(result, &name) || !name)
    name = "unknown error";
  if (session->api.error_text(result, &words) || !words)
    words = "the driver has no words for it";
  byte_buffer_printf(text, "%s (%d): %s", name, result, words);
}

/* Reports a result that is not success. `what`: what was tried, an infinitive. */
static tec_status check(const cuda_session *session, cuda_result result, const char *what) {
  if (!result)
    return TEC_OK;
  byte_buffer text = {0};
  describe(session, result, &text);
  runtime_error(session->context, TEC_INVALID, "CUDA cannot %s: %s", what, text.failed ? "out of memory" : text.bytes);
  free(text.bytes);
  return TEC_INVALID;
}

static tec_status open_device(cuda_session *session) {
  const cuda_api *api = &session->api;
  int count = 0, major = 0, minor = 0, number = (int)session->context->device;
  tec_status status = check(session, api->initialise(0), "start");
  if (!status)
    status = check(session, api->driver_version(&session->driver_version), "tell the driver's version");
  if (!status)
    status = check(session, api->device_count(&count), "count the devices");
  if (status)
    return status;
  if (number >= count)
    return runtime_error(session->context, TEC_INVALID, "there is no CUDA device %d; there are %d", number, count);
  status = check(session, api->device_get(&session->device, number), "get the device");
  if (!status)
    status = check(session, api->device_name(session->name, NAME_BYTES, session->device), "name the device");
  if (!status)
    status = check(session, api->device_attribute(&major, ATTRIBUTE_MAJOR, session->device), "tell the chip");
  if (!status)
    status = check(session, api->device_attribute(&minor, ATTRIBUTE_MINOR, session->device), "tell the chip");
  if (!status)
    status = check(session, api->device_attribute(&session->shared_bytes, ATTRIBUTE_SHARED_BYTES, session->device),
                   "tell the size of shared memory");
  session->chip = 10 * major + minor;
  return status;
}

/* --------------------------------------------------------------------------------------------------------- sessions */

/* The word after `directive` in the head of PTX text, "?" if there is none. */
static void directive_of(const char *code, const char *directive, char *word, size_t size) {
  const char *found = strstr(code, directive);
  const char *start = found ? found + strlen(directive) : "?";
  start += strspn(start, " \t");
  size_t length = strcspn(start, " \t\r\n,");
  if (length >= size)
    length = size - 1;
  memcpy(word, start, length);
  word[length] = 0;
}

/* `code` ends with a NUL; the driver wants that. */
static tec_status load_module(cuda_session *session, const char *code) {
  char log[LOG_BYTES] = "";
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  cuda_result result = session->api.module_load(&session->module, code, 2, options, values);
  if (!result)
    return TEC_OK;
  session->module = NULL;
  char version[16], chip[32];
  directive_of(code, ".version", version, sizeof version);
  directive_of(code, ".target", chip, sizeof chip);
  byte_buffer text = {0};
  describe(session, result, &text);
  log[LOG_BYTES - 1] = 0;
  if (*log)
    byte_buffer_printf(&text, "\n%s", log);
  runtime_error(session->context, TEC_INVALID,
                "the driver (for CUDA %d.%d) does not take the program (PTX %s for %s) for '%s' (sm_%d): %s",
                session->driver_version / 1000, session->driver_version % 1000 / 10, version, chip, session->name,
                session->chip, text.failed ? "out of memory" : text.bytes);
  free(text.bytes);
  return TEC_INVALID;
}

static tec_status cuda_enter(void *pointer) {
  cuda_session *session = pointer;
  return check(session, session->api.context_push(session->primary), "make the context current");
}

static void cuda_leave(void *pointer) {
  cuda_session *session = pointer;
  cuda_context popped;
  session->api.context_pop(&popped);
}

static void cuda_close(void *pointer) {
  cuda_session *session = pointer;
  const cuda_api *api = &session->api;
  if (session->primary && !api->context_push(session->primary)) {
    for (unsigned i = 0; i < 2; i++)
      if (session->events[i])
        api->event_destroy(session->events[i]);
    if (session->module)
      api->module_unload(session->module);
    cuda_leave(session);
  }
  if (session->primary)
    api->context_release(session->device);
  if (api->library)
    dlclose(api->library);
}

static tec_status cuda_open(void *pointer, const char *code, size_t size) {
  cuda_session *session = pointer;
  session->stream = session->context->stream;
  tec_status status = load_api(session->context, &session->api);
  if (!status)
    status = open_device(session);
  if (!status)
    status = check(session, session->api.context_retain(&session->primary, session->device), "open the device");
  if (!status)
    status = cuda_enter(session);
  if (status)
    return status;
  status = load_module(session, code);
  for (unsigned i = 0; i < 2 && !status; i++)
    status = check(session, session->api.event_create(&session->events[i], 0), "create an event");
  cuda_leave(session);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- launching */

static tec_status cuda_find(void *pointer, const program_launch *launch, void **kernel) {
  cuda_session *session = pointer;
  if (launch->shared_bytes > (uint32_t)session->shared_bytes)
    return runtime_error(session->context, TEC_INVALID,
                         "kernel '%s' needs %u bytes of shared memory a block; '%s' has %d", launch->kernel,
                         launch->shared_bytes, session->name, session->shared_bytes);
  cuda_function function;
  tec_status status =
      check(session, session->api.module_function(&function, session->module, launch->kernel), "find a kernel");
  if (status)
    return status;
  if (launch->shared_bytes > DEFAULT_SHARED_BYTES)
    status = check(session, session->api.function_set(function, FUNCTION_SHARED_BYTES, (int)launch->shared_bytes),
                   "set a kernel's shared memory");
  *kernel = function;
  return status;
}

static tec_status cuda_allocate(void *pointer, size_t size, uint64_t *address) {
  cuda_session *session = pointer;
  tec_status status = check(session, session->api.allocate(address, size), "allocate memory");
  return status ? TEC_OUT_OF_MEMORY : TEC_OK;
}

static void cuda_release(void *pointer, uint64_t address) {
  cuda_session *session = pointer;
  session->api.release(address);
}

/* On the stream, so that they keep their place among the launches; then waited for, because host memory is the
 * caller's. */
static tec_status cuda_copy_in(void *pointer, uint64_t to, const void *from, size_t size) {
  cuda_session *session = pointer;
  tec_status status = check(session, session->api.copy_in(to, from, size, session->stream), "copy to the device");
  return status ? status : check(session, session->api.synchronise(session->stream), "copy to the device");
}

static tec_status cuda_copy_out(void *pointer, void *to, uint64_t from, size_t size) {
  cuda_session *session = pointer;
  tec_status status = check(session, session->api.copy_out(to, from, size, session->stream), "copy from the device");
  return status ? status : check(session, session->api.synchronise(session->stream), "copy from the device");
}

static tec_status cuda_launch(void *pointer, const kernel_launch *launch) {
  cuda_session *session = pointer;
  cuda_result result = session->api.launch(launch->kernel, launch->grid[0], launch->grid[1], launch->grid[2],
                                           launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes,
                                           session->stream, launch->values, NULL);
  return check(session, result, "launch a kernel");
}

static tec_status cuda_start(void *pointer) {
  cuda_session *session = pointer;
  return check(session, session->api.event_record(session->events[0], session->stream), "record an event");
}

/* The first place where an error inside a kernel shows. */
static tec_status cuda_finish(void *pointer, double *seconds) {
  cuda_session *session = pointer;
  float milliseconds = 0;
  tec_status status = check(session, session->api.event_record(session->events[1], session->stream), "record an event");
  if (!status)
    status = check(session, session->api.event_synchronise(session->events[1]), "finish the kernels");
  if (!status)
    status = check(session, session->api.event_elapsed(&milliseconds, session->events[0], session->events[1]),
                   "tell the time");
  *seconds = (double)milliseconds * 1e-3;
  return status;
}

/* The newest chip that programs can be made for and whose code this device runs. That of sm_90a, which has what later
 * chips have not, runs on sm_90 alone, and drivers take it from CUDA 12.0 on. */
static tec_status cuda_target(tec_context *context, char target[RUNTIME_MAX_TARGET]) {
  enum { HOPPER = 90, HOPPER_DRIVER = 12000 };
  static const int chips[] = {120, 100, 90, 89, 86, 80};
  cuda_session session = {.context = context};
  tec_status status = load_api(context, &session.api);
  if (!status)
    status = open_device(&session);
  if (session.api.library)
    dlclose(session.api.library);
  if (status)
    return status;
  for (unsigned i = 0; i < sizeof chips / sizeof chips[0]; i++)
    if (chips[i] <= session.chip) {
      bool own = session.chip == HOPPER && session.driver_version >= HOPPER_DRIVER;
      snprintf(target, RUNTIME_MAX_TARGET, "nvptx:sm_%d%s", chips[i], own ? "a" : "");
      return TEC_OK;
    }
  return runtime_error(context, TEC_INVALID, "'%s' is an sm_%d; programs are made for sm_80 and later", session.name,
                       session.chip);
}

static const kernel_driver cuda_driver = {
    .memory = kDLCUDA,
    .session_bytes = sizeof(cuda_session),
    .open = cuda_open,
    .close = cuda_close,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .find = cuda_find,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .launch = cuda_launch,
    .start = cuda_start,
    .finish = cuda_finish,
};

const runtime_device cuda_device = {
    .name = "cuda",
    .target = "nvptx",
    .doc = "NVIDIA's GPUs, through the driver",
    .default_target = cuda_target,
    .runner = &kernel_runner,
    .driver = &cuda_driver,
};
