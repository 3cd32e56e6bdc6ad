/* ocl.c - the device "ocl": OpenCL, on any device that takes SPIR-V and shares virtual memory, processors included. The
 * loader is opened when it is first needed and then stays, with its drivers.
 *
 * A session holds a context, a queue that runs in order, and the program. Device memory is shared virtual memory in
 * coarse buffers, used through the queue only; so tensors have addresses. Every call is checked. */
#include "runtime/kernel_device.h"
#include "runtime/ocl_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64, MAX_NAME = 256, MAX_LOG = 4096 };

typedef struct ocl_api {
#define SYMBOL(FIELD, RESULT, NAME, PARAMETERS) RESULT(*FIELD) PARAMETERS;
  OCL_SYMBOLS(SYMBOL)
#undef SYMBOL
} ocl_api;

/* What was opened so far is what close undoes. */
typedef struct ocl_session {
  tec_context *context;
  ocl_api api;
  ocl_device device;
  char name[MAX_NAME];
  uint64_t local_bytes;
  ocl_context memory;
  ocl_queue queue;
  ocl_program program;
  ocl_event first, last; /* launches since the start; last: NULL where there was one */
} ocl_session;

/* ---------------------------------------------------------------------------------------------------------- results */

/* Reports a result that is not success. `what`: what was tried, an infinitive. */
static tec_status check(const ocl_session *session, ocl_result result, const char *what) {
  static const struct {
    const char *name;
    ocl_result result;
  } rows[] = {
#define OCL_RESULT(NAME, VALUE) {"CL_" #NAME, VALUE},
      OCL_RESULTS(OCL_RESULT)
#undef OCL_RESULT
  };
  if (!result)
    return TEC_OK;
  const char *name = "an error";
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].result == result)
      name = rows[i].name;
  return runtime_error(session->context, TEC_INVALID, "OpenCL cannot %s: %s (%d)", what, name, result);
}

/* --------------------------------------------------------------------------------------------------- loader, device */

static tec_status load_api(tec_context *context, ocl_api *api) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return runtime_error(context, TEC_INVALID, "the device 'ocl' needs an OpenCL loader, and it cannot be loaded: %s",
                         dlerror());
  const char *missing = NULL;
#define SYMBOL(FIELD, RESULT, NAME, PARAMETERS)                                                                        \
  *(void **)(&api->FIELD) = dlsym(library, #NAME);                                                                     \
  if (!api->FIELD)                                                                                                     \
    missing = #NAME;
  OCL_SYMBOLS(SYMBOL)
#undef SYMBOL
  dlclose(library);
  if (!missing)
    return TEC_OK;
  return runtime_error(context, TEC_INVALID, "the OpenCL loader is too old: it has no %s", missing);
}

/* Whether the device takes SPIR-V and shares virtual memory. Those too old to know the questions do not. */
static bool is_suitable(const ocl_session *session, ocl_device device) {
  char languages[MAX_NAME] = "";
  uint64_t sharing = 0;
  if (session->api.device_info(device, OCL_DEVICE_IL, sizeof languages - 1, languages, NULL))
    return false;
  if (session->api.device_info(device, OCL_DEVICE_SVM, sizeof sharing, &sharing, NULL))
    return false;
  return strstr(languages, "SPIR-V") && (sharing & OCL_SVM_BUFFERS);
}

static tec_status open_device(ocl_session *session) {
  const ocl_api *api = &session->api;
  ocl_platform platforms[MAX_PLATFORMS];
  uint32_t num_platforms = 0, suitable = 0;
  ocl_result result = api->platforms(MAX_PLATFORMS, platforms, &num_platforms);
  if (result == OCL_PLATFORM_NOT_FOUND)
    num_platforms = 0;
  else if (result)
    return check(session, result, "find the platforms");
  for (uint32_t i = 0; i < num_platforms && i < MAX_PLATFORMS; i++) {
    ocl_device devices[MAX_DEVICES];
    uint32_t count = 0;
    /* A platform without devices answers with an error. */
    if (api->devices(platforms[i], (uint32_t)OCL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count))
      continue;
    for (uint32_t k = 0; k < count && k < MAX_DEVICES; k++)
      if (is_suitable(session, devices[k]) && suitable++ == session->context->device)
        session->device = devices[k];
  }
  if (!session->device)
    return runtime_error(session->context, TEC_INVALID,
                         "there is no OpenCL device %u that takes SPIR-V and shares virtual memory; there are %u",
                         session->context->device, suitable);
  tec_status status =
      check(session, api->device_info(session->device, OCL_DEVICE_NAME, MAX_NAME - 1, session->name, NULL),
            "name the device");
  if (status)
    return status;
  return check(session,
               api->device_info(session->device, OCL_DEVICE_LOCAL_BYTES, sizeof session->local_bytes,
                                &session->local_bytes, NULL),
               "tell the size of local memory");
}

/* --------------------------------------------------------------------------------------------------------- sessions */

static void forget_events(ocl_session *session) {
  if (session->first)
    session->api.event_release(session->first);
  if (session->last)
    session->api.event_release(session->last);
  session->first = session->last = NULL;
}

static void ocl_close(void *pointer) {
  ocl_session *session = pointer;
  const ocl_api *api = &session->api;
  if (session->queue)
    api->finish(session->queue);
  forget_events(session);
  if (session->program)
    api->program_release(session->program);
  if (session->queue)
    api->queue_release(session->queue);
  if (session->memory)
    api->context_release(session->memory);
}

/* What the compiler has to say, from malloc; NULL where it says nothing. */
static char *read_log(const ocl_session *session) {
  size_t size = 0;
  const ocl_api *api = &session->api;
  if (api->build_info(session->program, session->device, OCL_BUILD_LOG, 0, NULL, &size) || size < 2)
    return NULL;
  char *text = calloc(size + 1, 1);
  if (text && api->build_info(session->program, session->device, OCL_BUILD_LOG, size, text, NULL))
    *text = 0;
  if (text && size > MAX_LOG)
    text[MAX_LOG] = 0;
  return text;
}

static tec_status build_program(ocl_session *session, const char *code, size_t size) {
  const ocl_api *api = &session->api;
  ocl_result result = 0;
  char what[400];
  snprintf(what, sizeof what, "build the program for '%s'", session->name);
  session->program = api->program_create(session->memory, code, size, &result);
  if (result)
    session->program = NULL;
  if (!result)
    result = api->program_build(session->program, 1, &session->device, "", NULL, NULL);
  char *text = result && session->program ? read_log(session) : NULL;
  tec_status status =
      text && *text ? runtime_error(session->context, TEC_INVALID, "OpenCL cannot %s (%d):\n%s", what, result, text)
                    : check(session, result, what);
  free(text);
  return status;
}

static tec_status ocl_open(void *pointer, const char *code, size_t size) {
  ocl_session *session = pointer;
  static const uint64_t queue[] = {OCL_QUEUE_PROPERTIES, OCL_QUEUE_PROFILING, 0};
  const ocl_api *api = &session->api;
  ocl_result result = 0;
  tec_status status = load_api(session->context, &session->api);
  if (!status)
    status = open_device(session);
  if (status)
    return status;
  session->memory = api->context_create(NULL, 1, &session->device, NULL, NULL, &result);
  if (result)
    session->memory = NULL;
  status = check(session, result, "open the device");
  if (status)
    return status;
  session->queue = api->queue_create(session->memory, session->device, queue, &result);
  if (result)
    session->queue = NULL;
  status = check(session, result, "create a queue");
  return status ? status : build_program(session, code, size);
}

/* -------------------------------------------------------------------------------------------------------- launching */

static tec_status ocl_find(void *pointer, const program_launch *launch, void **kernel) {
  ocl_session *session = pointer;
  const ocl_api *api = &session->api;
  size_t most = 0;
  uint64_t local = 0;
  ocl_result result = 0;
  ocl_kernel found = api->kernel_create(session->program, launch->kernel, &result);
  if (result)
    return check(session, result, "find a kernel");
  *kernel = found;
  result = api->kernel_info(found, session->device, OCL_KERNEL_MAX_GROUP, sizeof most, &most, NULL);
  if (!result)
    result = api->kernel_info(found, session->device, OCL_KERNEL_LOCAL_BYTES, sizeof local, &local, NULL);
  tec_status status = check(session, result, "describe a kernel");
  return status ? status
                : kernel_check_group(session->context, launch, session->name, most, local, session->local_bytes);
}

static void ocl_forget(void *pointer, void *kernel) {
  ocl_session *session = pointer;
  session->api.kernel_release(kernel);
}

static tec_status ocl_allocate(void *pointer, size_t size, uint64_t *address) {
  enum { ALIGNMENT = 128 }; /* the largest that every device must grant */
  ocl_session *session = pointer;
  void *memory = session->api.allocate(session->memory, OCL_READ_WRITE, size, ALIGNMENT);
  if (!memory)
    return runtime_error(session->context, TEC_OUT_OF_MEMORY, "OpenCL cannot allocate %zu bytes", size);
  *address = (uintptr_t)memory;
  return TEC_OK;
}

static void ocl_release(void *pointer, uint64_t address) {
  ocl_session *session = pointer;
  session->api.finish(session->queue);
  session->api.release(session->memory, (void *)(uintptr_t)address);
}

static tec_status ocl_copy_in(void *pointer, uint64_t to, const void *from, size_t size) {
  ocl_session *session = pointer;
  return check(session, session->api.copy(session->queue, 1, (void *)(uintptr_t)to, from, size, 0, NULL, NULL),
               "copy to the device");
}

static tec_status ocl_copy_out(void *pointer, void *to, uint64_t from, size_t size) {
  ocl_session *session = pointer;
  return check(session, session->api.copy(session->queue, 1, to, (const void *)(uintptr_t)from, size, 0, NULL, NULL),
               "copy from the device");
}

static tec_status set_argument(const ocl_session *session, const kernel_launch *launch, uint32_t number) {
  program_argument_kind kind = launch->arguments[number].kind;
  ocl_result result;
  if (kind == PROGRAM_TENSOR || kind == PROGRAM_WORKSPACE) {
    uint64_t address;
    memcpy(&address, launch->values[number], sizeof address);
    result = session->api.kernel_pointer(launch->kernel, number, (const void *)(uintptr_t)address);
  } else {
    result = session->api.kernel_value(launch->kernel, number, launch->sizes[number], launch->values[number]);
  }
  return check(session, result, "set an argument of a kernel");
}

static tec_status ocl_launch(void *pointer, const kernel_launch *launch) {
  ocl_session *session = pointer;
  for (uint32_t i = 0; i < launch->num_arguments; i++) {
    tec_status status = set_argument(session, launch, i);
    if (status)
      return status;
  }
  size_t items[3], group[3];
  for (unsigned k = 0; k < 3; k++) {
    group[k] = launch->block[k];
    items[k] = group[k] * launch->grid[k];
  }
  ocl_event event = NULL;
  tec_status status =
      check(session, session->api.launch(session->queue, launch->kernel, 3, NULL, items, group, 0, NULL, &event),
            "launch a kernel");
  if (status)
    return status;
  if (!session->first) {
    session->first = event;
  } else {
    if (session->last)
      session->api.event_release(session->last);
    session->last = event;
  }
  return TEC_OK;
}

static tec_status ocl_start(void *pointer) {
  forget_events(pointer);
  return TEC_OK;
}

/* The first place where an error inside a kernel shows. */
static tec_status ocl_finish(void *pointer, double *seconds) {
  ocl_session *session = pointer;
  const ocl_api *api = &session->api;
  tec_status status = check(session, api->finish(session->queue), "finish the kernels");
  uint64_t start = 0, end = 0;
  ocl_event last = session->last ? session->last : session->first;
  if (status || !last)
    return status;
  status = check(session, api->event_time(session->first, OCL_TIME_START, sizeof start, &start, NULL), "tell the time");
  if (!status)
    status = check(session, api->event_time(last, OCL_TIME_END, sizeof end, &end, NULL), "tell the time");
  if (!status)
    *seconds = (double)(end - start) * 1e-9;
  return status;
}

/* Nothing is known of the device that a more special chip would need. */
static tec_status ocl_target(tec_context *context, char target[RUNTIME_MAX_TARGET]) {
  strcpy(target, "spirv:generic");
  return TEC_OK;
}

static const kernel_driver ocl_driver = {
    .session_bytes = sizeof(ocl_session),
    .open = ocl_open,
    .close = ocl_close,
    .forget = ocl_forget,
    .find = ocl_find,
    .allocate = ocl_allocate,
    .release = ocl_release,
    .copy_in = ocl_copy_in,
    .copy_out = ocl_copy_out,
    .launch = ocl_launch,
    .start = ocl_start,
    .finish = ocl_finish,
};

const runtime_device opencl_device = {
    .name = "ocl",
    .target = "spirv",
    .doc = "any device with OpenCL that takes SPIR-V",
    .default_target = ocl_target,
    .runner = &kernel_runner,
    .driver = &ocl_driver,
};
