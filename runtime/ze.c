/* ze.c - the device "ze": Level Zero, which Intel's GPUs have. The loader is opened when it is first needed and then
 * stays, as Level Zero cannot be shut down.
 *
 * A session holds a context of its own, an immediate command list, the program's module, and two events. The list runs
 * in the background and in any order, so each launch is followed by a barrier, and whatever must be done is waited for
 * by a barrier that signals an event. Every call of the driver is checked. */
#include "runtime/kernel_device.h"
#include "runtime/ze_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DRIVERS = 16, MAX_DEVICES = 64, MAX_QUEUE_GROUPS = 16, MAX_LOG = 4096, SPIRV_MAGIC = 0x07230203 };
/* SPIR-V 1.3: drivers of 2022 say that they take 1.2, but take this. */
enum { SPIRV_TAKEN = 1 << 16 | 3 };

typedef struct ze_api {
#define SYMBOL(FIELD, NAME, PARAMETERS) ze_result(*FIELD) PARAMETERS;
  ZE_SYMBOLS(SYMBOL)
#undef SYMBOL
  ze_result (*last_error)(ze_driver driver, const char **text); /* zeDriverGetLastErrorDescription; newer loaders' */
} ze_api;

/* What was opened so far is what close undoes. */
typedef struct ze_session {
  tec_context *context;
  ze_api api;
  ze_driver driver;
  ze_device device;
  ze_device_properties properties;
  ze_compute_properties limits;
  ze_context memory;
  ze_list list;
  ze_pool pool;
  ze_event events[2]; /* start; end, also of every wait */
  ze_module module;
  bool pending; /* the list has work that nobody has waited for */
} ze_session;

/* ---------------------------------------------------------------------------------------------------------- results */

/* Reports a result that is not success. `what`: what was tried, an infinitive. */
static tec_status check(const ze_session *session, ze_result result, const char *what) {
  static const struct {
    const char *name;
    ze_result result;
  } rows[] = {
#define ZE_RESULT(NAME, VALUE) {"ZE_RESULT_" #NAME, VALUE},
      ZE_RESULTS(ZE_RESULT)
#undef ZE_RESULT
  };
  if (!result)
    return TEC_OK;
  const char *name = "an error", *words = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].result == result)
      name = rows[i].name;
  if (session->driver && session->api.last_error && session->api.last_error(session->driver, &words))
    words = NULL;
  bool has_words = words && *words;
  return runtime_error(session->context, TEC_INVALID, "Level Zero cannot %s: %s (0x%x)%s%s", what, name, result,
                       has_words ? ": " : "", has_words ? words : "");
}

/* --------------------------------------------------------------------------------------------------- loader, device */

static tec_status load_api(tec_context *context, ze_api *api) {
  void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return runtime_error(context, TEC_INVALID,
                         "the device 'ze' needs the Level Zero loader, and it cannot be loaded: %s", dlerror());
  *(void **)(&api->last_error) = dlsym(library, "zeDriverGetLastErrorDescription");
  const char *missing = NULL;
#define SYMBOL(FIELD, NAME, PARAMETERS)                                                                                \
  *(void **)(&api->FIELD) = dlsym(library, #NAME);                                                                     \
  if (!api->FIELD)                                                                                                     \
    missing = #NAME;
  ZE_SYMBOLS(SYMBOL)
#undef SYMBOL
  dlclose(library);
  if (!missing)
    return TEC_OK;
  return runtime_error(context, TEC_INVALID, "the Level Zero loader is too old: it has no %s", missing);
}

/* How many of a list to ask for: all, as far as there is room. Drivers do not always correct a count that is too
 * large. */
static uint32_t fit(uint32_t count, uint32_t room) { return count < room ? count : room; }

/* The GPUs of one driver, counted in *count; the one with the context's number becomes the session's. */
static tec_status look_at_driver(ze_session *session, ze_driver driver, uint32_t *count) {
  const ze_api *api = &session->api;
  ze_device devices[MAX_DEVICES];
  uint32_t num_devices = 0;
  tec_status status = check(session, api->device_get(driver, &num_devices, NULL), "count the devices");
  num_devices = fit(num_devices, MAX_DEVICES);
  if (!status && num_devices)
    status = check(session, api->device_get(driver, &num_devices, devices), "find the devices");
  for (uint32_t i = 0; i < num_devices && !status; i++) {
    ze_device_properties properties = {.type = ZE_DEVICE_PROPERTIES};
    status = check(session, api->device_properties(devices[i], &properties), "describe a device");
    if (status || properties.kind != ZE_DEVICE_GPU)
      continue;
    if ((*count)++ != session->context->device)
      continue;
    session->driver = driver;
    session->device = devices[i];
    session->properties = properties;
  }
  return status;
}

static tec_status open_device(ze_session *session) {
  const ze_api *api = &session->api;
  ze_result result = api->initialise(ZE_INIT_GPU_ONLY);
  if (result)
    return check(session, result, "start (the device 'ze' needs a GPU and its driver)");
  ze_driver drivers[MAX_DRIVERS];
  uint32_t num_drivers = 0, count = 0;
  tec_status status = check(session, api->driver_get(&num_drivers, NULL), "count the drivers");
  num_drivers = fit(num_drivers, MAX_DRIVERS);
  if (!status && num_drivers)
    status = check(session, api->driver_get(&num_drivers, drivers), "find the drivers");
  for (uint32_t i = 0; i < num_drivers && !status; i++)
    status = look_at_driver(session, drivers[i], &count);
  if (status)
    return status;
  if (!session->device)
    return runtime_error(session->context, TEC_INVALID, "there is no Level Zero GPU %u; there are %u",
                         session->context->device, count);
  session->limits = (ze_compute_properties){.type = ZE_COMPUTE_PROPERTIES};
  return check(session, api->compute_properties(session->device, &session->limits), "tell the device's limits");
}

/* The group of queues that compute. */
static tec_status find_queue_group(const ze_session *session, uint32_t *ordinal) {
  ze_queue_group_properties groups[MAX_QUEUE_GROUPS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < MAX_QUEUE_GROUPS; i++)
    groups[i] = (ze_queue_group_properties){.type = ZE_QUEUE_GROUP_PROPERTIES};
  tec_status status = check(session, session->api.queue_groups(session->device, &count, NULL), "count the queues");
  count = fit(count, MAX_QUEUE_GROUPS);
  if (!status && count)
    status = check(session, session->api.queue_groups(session->device, &count, groups), "tell the queues");
  for (*ordinal = 0; !status && *ordinal < count; ++*ordinal)
    if (groups[*ordinal].flags & ZE_QUEUE_COMPUTES)
      return TEC_OK;
  return status ? status
                : runtime_error(session->context, TEC_INVALID, "'%s' has no queue that computes",
                                session->properties.name);
}

/* ---------------------------------------------------------------------------------------------------------- modules */

/* The log's text, from malloc; NULL where there is none. */
static char *read_log(const ze_session *session, ze_log log) {
  size_t size = 0;
  if (!log || session->api.log_text(log, &size, NULL) || size < 2)
    return NULL;
  char *text = calloc(size + 1, 1);
  if (text && session->api.log_text(log, &size, text))
    *text = 0;
  if (text && size > MAX_LOG)
    text[MAX_LOG] = 0;
  return text;
}

static const char generic_target[] = "spirv:generic";

/* Intel's chips by their PCI device numbers. */
static const char *chip_of(const ze_device_properties *properties) {
  static const struct {
    uint32_t first, last;
    const char *target;
  } rows[] = {{0x4f80, 0x4f88, "spirv:dg2"},
              {0x5690, 0x56c2, "spirv:dg2"},
              {0x0b69, 0x0b6e, "spirv:pvc"},
              {0x0bd0, 0x0be5, "spirv:pvc"},
              {0xe202, 0xe223, "spirv:bmg"}};
  enum { INTEL = 0x8086 };
  for (size_t i = 0; properties->vendor == INTEL && i < sizeof rows / sizeof rows[0]; i++)
    if (properties->id >= rows[i].first && properties->id <= rows[i].last)
      return rows[i].target;
  return generic_target;
}

/* Kernels for chips with a matrix unit keep whole tiles in registers: twice as many for half as many threads suit
 * them. */
static tec_status create_module(ze_session *session, const char *code, size_t size, bool is_spirv) {
  const char *flags = chip_of(&session->properties) == generic_target ? "" : "-ze-opt-large-register-file";
  const ze_module_description description = {.type = ZE_MODULE,
                                             .format = is_spirv ? ZE_FORMAT_SPIRV : ZE_FORMAT_NATIVE,
                                             .size = size,
                                             .code = (const uint8_t *)code,
                                             .flags = flags};
  ze_log log = NULL;
  ze_result result = session->api.module_create(session->memory, session->device, &description, &session->module, &log);
  tec_status status = TEC_OK;
  if (result) {
    session->module = NULL;
    char *text = read_log(session, log), what[400];
    snprintf(what, sizeof what, "build the program for '%s'", session->properties.name);
    if (text)
      status = runtime_error(session->context, TEC_INVALID, "Level Zero cannot %s (0x%x):\n%s", what, result, text);
    else
      status = check(session, result, what);
    free(text);
  }
  if (log)
    session->api.log_destroy(log);
  return status;
}

/* Drivers may end the process over SPIR-V that is newer than they are, so that they are asked before. */
static tec_status build_module(ze_session *session, const char *code, size_t size) {
  uint32_t words[2] = {0};
  if (size >= sizeof words)
    memcpy(words, code, sizeof words);
  bool is_spirv = words[0] == SPIRV_MAGIC;
  ze_module_properties properties = {.type = ZE_MODULE_PROPERTIES};
  tec_status status = check(session, session->api.module_properties(session->device, &properties),
                            "tell what programs the device takes");
  if (status)
    return status;
  uint32_t version = (words[1] >> 16 & 0xff) << 16 | (words[1] >> 8 & 0xff), most = properties.spirv_version;
  if (most < SPIRV_TAKEN)
    most = SPIRV_TAKEN;
  if (is_spirv && version > most)
    return runtime_error(session->context, TEC_INVALID, "the program is SPIR-V %u.%u; the driver of '%s' takes %u.%u",
                         version >> 16, version & 0xffff, session->properties.name, most >> 16, most & 0xffff);
  return create_module(session, code, size, is_spirv);
}

/* --------------------------------------------------------------------------------------------------------- sessions */

/* Waits for all that is in the list where nobody is left to be told of an error, which the one who caused it
 * reported. */
static void settle(ze_session *session) {
  const ze_api *api = &session->api;
  if (!session->pending)
    return;
  if (api->event_reset(session->events[1]))
    return;
  if (api->append_barrier(session->list, session->events[1], 0, NULL))
    return;
  session->pending = api->event_wait(session->events[1], UINT64_MAX) != 0;
}

/* Until all that is in the list is done. After an error the list is given one more chance to finish, because the caller
 * will take back the memory that it works on. */
static tec_status wait(ze_session *session, const char *what) {
  const ze_api *api = &session->api;
  session->pending = true;
  tec_status status = check(session, api->event_reset(session->events[1]), what);
  if (!status)
    status = check(session, api->append_barrier(session->list, session->events[1], 0, NULL), what);
  if (!status)
    status = check(session, api->event_wait(session->events[1], UINT64_MAX), what);
  session->pending = status != TEC_OK;
  if (status)
    settle(session);
  return status;
}

static void ze_close(void *pointer) {
  ze_session *session = pointer;
  const ze_api *api = &session->api;
  settle(session);
  if (session->module)
    api->module_destroy(session->module);
  if (session->list)
    api->list_destroy(session->list);
  for (unsigned i = 0; i < 2; i++)
    if (session->events[i])
      api->event_destroy(session->events[i]);
  if (session->pool)
    api->pool_destroy(session->pool);
  if (session->memory)
    api->context_destroy(session->memory);
}

static tec_status create_events(ze_session *session) {
  const ze_pool_description pool = {.type = ZE_POOL, .flags = ZE_POOL_HOST_VISIBLE | ZE_POOL_TIMESTAMPS, .count = 2};
  tec_status status = check(
      session, session->api.pool_create(session->memory, &pool, 1, &session->device, &session->pool), "create events");
  for (uint32_t i = 0; i < 2 && !status; i++) {
    const ze_event_description event = {.type = ZE_EVENT, .index = i, .signal = ZE_SCOPE_HOST, .wait = ZE_SCOPE_HOST};
    status = check(session, session->api.event_create(session->pool, &event, &session->events[i]), "create an event");
  }
  return status;
}

static tec_status ze_open(void *pointer, const char *code, size_t size) {
  ze_session *session = pointer;
  const ze_context_description memory = {.type = ZE_CONTEXT};
  ze_queue_description queue = {.type = ZE_QUEUE, .mode = ZE_QUEUE_ASYNCHRONOUS};
  tec_status status = load_api(session->context, &session->api);
  if (!status)
    status = open_device(session);
  if (!status)
    status = check(session, session->api.context_create(session->driver, &memory, &session->memory), "open the device");
  if (!status)
    status = find_queue_group(session, &queue.ordinal);
  if (!status)
    status = check(session, session->api.list_create(session->memory, session->device, &queue, &session->list),
                   "create a command list");
  if (!status)
    status = create_events(session);
  return status ? status : build_module(session, code, size);
}

/* -------------------------------------------------------------------------------------------------------- launching */

/* Each launch has a kernel of its own, with its group size. */
static tec_status ze_find(void *pointer, const program_launch *launch, void **kernel) {
  ze_session *session = pointer;
  const ze_api *api = &session->api;
  const ze_kernel_description description = {.type = ZE_KERNEL, .name = launch->kernel};
  ze_kernel_properties properties = {.type = ZE_KERNEL_PROPERTIES};
  ze_kernel found;
  tec_status status = check(session, api->kernel_create(session->module, &description, &found), "find a kernel");
  if (status)
    return status;
  *kernel = found;
  status = check(session, api->kernel_properties(found, &properties), "describe a kernel");
  if (!status)
    status = kernel_check_group(session->context, launch, session->properties.name, session->limits.max_group,
                                properties.local_bytes, session->limits.max_local_bytes);
  if (!status)
    status = check(session, api->kernel_group_size(found, launch->block[0], launch->block[1], launch->block[2]),
                   "set the size of work-groups");
  return status;
}

static void ze_forget(void *pointer, void *kernel) {
  ze_session *session = pointer;
  settle(session);
  session->api.kernel_destroy(kernel);
}

static tec_status ze_allocate(void *pointer, size_t size, uint64_t *address) {
  enum { ALIGNMENT = 256 };
  ze_session *session = pointer;
  const ze_allocation_description description = {.type = ZE_ALLOCATION};
  void *memory = NULL;
  tec_status status =
      check(session, session->api.allocate(session->memory, &description, size, ALIGNMENT, session->device, &memory),
            "allocate memory");
  *address = (uintptr_t)memory;
  return status ? TEC_OUT_OF_MEMORY : TEC_OK;
}

static void ze_release(void *pointer, uint64_t address) {
  ze_session *session = pointer;
  settle(session);
  session->api.release(session->memory, (void *)(uintptr_t)address);
}

/* Waited for, because host memory is the caller's. */
static tec_status copy(ze_session *session, void *to, const void *from, size_t size, const char *what) {
  session->pending = true;
  tec_status status = check(session, session->api.append_copy(session->list, to, from, size, NULL, 0, NULL), what);
  return status ? status : wait(session, what);
}

static tec_status ze_copy_in(void *session, uint64_t to, const void *from, size_t size) {
  return copy(session, (void *)(uintptr_t)to, from, size, "copy to the device");
}

static tec_status ze_copy_out(void *session, void *to, uint64_t from, size_t size) {
  return copy(session, to, (const void *)(uintptr_t)from, size, "copy from the device");
}

static tec_status ze_launch(void *pointer, const kernel_launch *launch) {
  ze_session *session = pointer;
  const ze_api *api = &session->api;
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < launch->num_arguments && !status; i++)
    status = check(session, api->kernel_argument(launch->kernel, i, launch->sizes[i], launch->values[i]),
                   "set an argument of a kernel");
  if (status)
    return status;
  session->pending = true;
  status =
      check(session, api->append_launch(session->list, launch->kernel, launch->grid, NULL, 0, NULL), "launch a kernel");
  return status ? status : check(session, api->append_barrier(session->list, NULL, 0, NULL), "order the kernels");
}

static tec_status ze_start(void *pointer) {
  ze_session *session = pointer;
  settle(session); /* of a call that failed halfway */
  session->pending = true;
  tec_status status = check(session, session->api.event_reset(session->events[0]), "reset an event");
  if (status)
    return status;
  return check(session, session->api.append_barrier(session->list, session->events[0], 0, NULL), "record an event");
}

/* The first place where an error inside a kernel shows. */
static tec_status ze_finish(void *pointer, double *seconds) {
  ze_session *session = pointer;
  ze_timestamps start, end;
  tec_status status = wait(session, "finish the kernels");
  if (!status)
    status = check(session, session->api.event_time(session->events[0], &start), "tell the time");
  if (!status)
    status = check(session, session->api.event_time(session->events[1], &end), "tell the time");
  if (status)
    return status;
  unsigned bits = session->properties.kernel_timestamp_bits;
  uint64_t ticks = end.global_end - start.global_end;
  if (bits && bits < 64)
    ticks &= ((uint64_t)1 << bits) - 1; /* the clock wraps around */
  if (session->properties.timer_resolution)
    *seconds = (double)ticks / (double)session->properties.timer_resolution;
  return TEC_OK;
}

/* ---------------------------------------------------------------------------------------------------------- targets */

static tec_status ze_target(tec_context *context, char target[RUNTIME_MAX_TARGET]) {
  ze_session session = {.context = context};
  tec_status status = load_api(context, &session.api);
  if (!status)
    status = open_device(&session);
  if (!status)
    strcpy(target, chip_of(&session.properties));
  return status;
}

static const kernel_driver ze_driver_functions = {
    .session_bytes = sizeof(ze_session),
    .open = ze_open,
    .close = ze_close,
    .forget = ze_forget,
    .find = ze_find,
    .allocate = ze_allocate,
    .release = ze_release,
    .copy_in = ze_copy_in,
    .copy_out = ze_copy_out,
    .launch = ze_launch,
    .start = ze_start,
    .finish = ze_finish,
};

const runtime_device level_zero_device = {
    .name = "ze",
    .target = "spirv",
    .doc = "Intel's GPUs, through Level Zero",
    .default_target = ze_target,
    .runner = &kernel_runner,
    .driver = &ze_driver_functions,
};
