/* driver.c - a Level Zero driver without a GPU: the loader finds it through ZE_ENABLE_ALT_DRIVERS, or a test loads it
 * in the loader's place. Kernels run on the CPU (spirv.h); their stops are device losses that standard error explains,
 * and zeDriverGetLastErrorDescription, which loaders of that age do not pass on. As Intel's driver of 2022, it does not
 * correct counts that are too large.
 *
 * It is as lazy as a driver may be: what a command list got is executed when somebody waits, and what no barrier orders
 * in reverse. Memory starts as NaN in every float type. Every call that can fail is counted, and any one can be made to
 * fail. Everything that is used without having been created, or destroyed with something that depends on it, ends the
 * process: such a call would crash for real. */
#include "level_zero.h"
#include "spirv.h"

#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MAX_ARGUMENTS = 64, TIMER_FREQUENCY = 1000000, LAUNCH_TICKS = 2500 };

EXPORT level_zero_state level_zero_test;

typedef struct chip {
  const char *name;
  uint32_t id, width; /* PCI device; lanes of its units */
  spirv_chip spirv;
} chip;

static const chip chips[] = {{"generic", 0x9a49, 8, {16, 0, false, 64 * 1024}},
                             {"dg2", 0x56a0, 8, {16, 8, false, 64 * 1024}},
                             {"pvc", 0x0bd5, 16, {16, 16, true, 128 * 1024}},
                             {"bmg", 0xe20b, 16, {16, 16, true, 128 * 1024}}};

/* What a handle points to starts with its kind. */
typedef enum kind { DEAD, DRIVER, DEVICE, CONTEXT, LIST, POOL, EVENT, MODULE, LOG, KERNEL } kind;

struct _ze_driver_handle_t {
  kind kind;
};
struct _ze_device_handle_t {
  kind kind;
};
struct _ze_context_handle_t {
  kind kind;
};
struct _ze_event_pool_handle_t {
  kind kind;
  uint32_t count;
  ze_event_pool_flags_t flags;
};
struct _ze_event_handle_t {
  kind kind;
  struct _ze_event_pool_handle_t *pool;
  bool signaled;
  uint64_t time;
};
struct _ze_module_handle_t {
  kind kind;
  spirv_module *code;
  int kernels;
};
struct _ze_module_build_log_handle_t {
  kind kind;
  spirv_message message;
};
struct _ze_kernel_handle_t {
  kind kind;
  struct _ze_module_handle_t *module;
  const spirv_kernel *code;
  uint32_t group_size[3];
  uint64_t arguments[MAX_ARGUMENTS];
  bool given[MAX_ARGUMENTS];
};

typedef enum command_kind { COPY, LAUNCH, BARRIER } command_kind;

typedef struct command {
  command_kind kind;
  ze_event_handle_t event; /* signaled afterwards; may be NULL */
  void *to;
  const void *from;
  size_t size;
  struct _ze_kernel_handle_t kernel; /* as it was when the launch was appended */
  uint32_t groups[3];
} command;

struct _ze_command_list_handle_t {
  kind kind;
  command *commands;
  size_t count, capacity;
};

/* The one driver, its device and its memory. */
static struct _ze_driver_handle_t the_driver = {DRIVER};
static struct _ze_device_handle_t the_device = {DEVICE};
static struct _ze_command_list_handle_t *the_list; /* one is all that may be there */
static spirv_buffer blocks[256];
static size_t num_blocks;
static uint64_t ticks = UINT32_MAX - 1000; /* soon wraps around */
static spirv_message last_error;

static void require(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "Level Zero test driver: %s\n", what);
  abort();
}

#define REQUIRE(CONDITION) require(CONDITION, #CONDITION)
/* Counts a call; returns from it if it is the one to fail. */
#define STEP()                                                                                                         \
  do {                                                                                                                 \
    if (++level_zero_test.common.calls == level_zero_test.common.fault) {                                              \
      level_zero_test.common.failed = __func__;                                                                        \
      return ZE_RESULT_ERROR_UNKNOWN;                                                                                  \
    }                                                                                                                  \
  } while (0)

static const chip *the_chip(void) {
  const char *name = level_zero_test.chip ? level_zero_test.chip : getenv("TEST_ZE_CHIP");
  size_t i = 0;
  while (name && i < sizeof chips / sizeof chips[0] && strcmp(chips[i].name, name) != 0)
    i++;
  require(i < sizeof chips / sizeof chips[0], "TEST_ZE_CHIP names no chip");
  return &chips[i];
}

/* --------------------------------------------------------------------------------------------------- driver, device */

EXPORT ze_result_t zeInit(ze_init_flags_t flags) {
  STEP();
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers) {
  STEP();
  if (*count && drivers)
    drivers[0] = &the_driver;
  if (!*count)
    *count = 1;
  return ZE_RESULT_SUCCESS;
}

static ze_result_t driver_version(ze_driver_handle_t driver, ze_api_version_t *version) {
  REQUIRE(driver->kind == DRIVER);
  *version = ZE_API_VERSION_1_3;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text) {
  REQUIRE(driver->kind == DRIVER);
  *text = last_error.text;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices) {
  STEP();
  REQUIRE(driver->kind == DRIVER);
  if (*count && devices)
    devices[0] = &the_device;
  if (!*count)
    *count = 1;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *properties) {
  STEP();
  REQUIRE(device->kind == DEVICE && properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
  properties->type = ZE_DEVICE_TYPE_GPU;
  properties->vendorId = 0x8086;
  properties->deviceId = the_chip()->id;
  properties->physicalEUSimdWidth = the_chip()->width;
  properties->maxMemAllocSize = (uint64_t)1 << 32;
  properties->timerResolution = TIMER_FREQUENCY;
  properties->timestampValidBits = 64;
  properties->kernelTimestampValidBits = 32;
  snprintf(properties->name, sizeof properties->name, "Test %s", the_chip()->name);
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t device, ze_device_compute_properties_t *properties) {
  STEP();
  REQUIRE(device->kind == DEVICE && properties->stype == ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
  properties->maxTotalGroupSize = SPIRV_MAX_GROUP;
  properties->maxGroupSizeX = properties->maxGroupSizeY = properties->maxGroupSizeZ = SPIRV_MAX_GROUP;
  properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ = UINT32_MAX;
  properties->maxSharedLocalMemory = (uint32_t)the_chip()->spirv.local_bytes;
  properties->numSubGroupSizes = 3;
  for (uint32_t i = 0; i < 3; i++)
    properties->subGroupSizes[i] = 8u << i;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t device, ze_device_module_properties_t *properties) {
  STEP();
  REQUIRE(device->kind == DEVICE && properties->stype == ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
  properties->spirvVersionSupported = ZE_MAKE_VERSION(1, 4);
  properties->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64;
  properties->maxArgumentsSize = 8 * MAX_ARGUMENTS;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t device, uint32_t *count,
                                                          ze_command_queue_group_properties_t *properties) {
  STEP();
  REQUIRE(device->kind == DEVICE);
  /* The second group is the one that computes. */
  for (uint32_t i = 0; properties && i < *count && i < 2; i++) {
    REQUIRE(properties[i].stype == ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
    properties[i].flags = i ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
                            : ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    properties[i].maxMemoryFillPatternSize = 16;
    properties[i].numQueues = 1;
  }
  if (!*count)
    *count = 2;
  return ZE_RESULT_SUCCESS;
}

/* -------------------------------------------------------------------------------------------------- context, memory */

EXPORT ze_result_t zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *description,
                                   ze_context_handle_t *context) {
  STEP();
  REQUIRE(driver->kind == DRIVER && description->stype == ZE_STRUCTURE_TYPE_CONTEXT_DESC);
  *context = malloc(sizeof **context);
  (*context)->kind = CONTEXT;
  level_zero_test.contexts++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeContextDestroy(ze_context_handle_t context) {
  const level_zero_state *held = &level_zero_test;
  REQUIRE(context->kind == CONTEXT);
  REQUIRE(!held->lists && !held->pools && !held->events && !held->modules && !held->kernels && !held->common.blocks);
  context->kind = DEAD;
  free(context);
  level_zero_test.contexts--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *description,
                                    size_t size, size_t alignment, ze_device_handle_t device, void **memory) {
  STEP();
  REQUIRE(context->kind == CONTEXT && device->kind == DEVICE && size);
  REQUIRE(description->stype == ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC && num_blocks < 256);
  if (size > (size_t)1 << 32)
    return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!*memory)
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  memset(*memory, 0xff, size);
  blocks[num_blocks++] = (spirv_buffer){*memory, size};
  level_zero_test.common.blocks++;
  return ZE_RESULT_SUCCESS;
}

static const spirv_buffer *find_block(const void *memory) {
  for (size_t i = 0; i < num_blocks; i++)
    if ((const char *)memory >= (char *)blocks[i].base &&
        (const char *)memory < (char *)blocks[i].base + blocks[i].size)
      return &blocks[i];
  return NULL;
}

EXPORT ze_result_t zeMemFree(ze_context_handle_t context, void *memory) {
  REQUIRE(context->kind == CONTEXT);
  REQUIRE(!the_list || !the_list->count); /* nobody uses it any more */
  size_t i = 0;
  while (i < num_blocks && blocks[i].base != memory)
    i++;
  REQUIRE(i < num_blocks);
  free(memory);
  blocks[i] = blocks[--num_blocks];
  level_zero_test.common.blocks--;
  return ZE_RESULT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- modules, kernels */

EXPORT ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                                  const ze_module_desc_t *description, ze_module_handle_t *module,
                                  ze_module_build_log_handle_t *log) {
  REQUIRE(context->kind == CONTEXT && device->kind == DEVICE && description->stype == ZE_STRUCTURE_TYPE_MODULE_DESC);
  spirv_message message = {"no words"};
  if (log) {
    *log = malloc(sizeof **log);
    **log = (struct _ze_module_build_log_handle_t){LOG, message};
    level_zero_test.logs++;
  }
  STEP();
  if (description->format != ZE_MODULE_FORMAT_IL_SPIRV)
    return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  snprintf(level_zero_test.build_flags, sizeof level_zero_test.build_flags, "%s",
           description->pBuildFlags ? description->pBuildFlags : "");
  spirv_module *code = spirv_load(description->pInputModule, description->inputSize, &the_chip()->spirv, &message);
  if (log)
    (*log)->message = message;
  if (!code)
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  *module = malloc(sizeof **module);
  **module = (struct _ze_module_handle_t){MODULE, code, 0};
  level_zero_test.modules++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeModuleDestroy(ze_module_handle_t module) {
  REQUIRE(module->kind == MODULE && !module->kernels);
  spirv_free(module->code);
  module->kind = DEAD;
  free(module);
  level_zero_test.modules--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *text) {
  REQUIRE(log->kind == LOG);
  size_t needed = strlen(log->message.text) + 1;
  if (text)
    memcpy(text, log->message.text, *size < needed ? *size : needed);
  *size = needed;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log) {
  REQUIRE(log->kind == LOG);
  log->kind = DEAD;
  free(log);
  level_zero_test.logs--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *description,
                                  ze_kernel_handle_t *kernel) {
  STEP();
  REQUIRE(module->kind == MODULE && description->stype == ZE_STRUCTURE_TYPE_KERNEL_DESC);
  const spirv_kernel *code = spirv_kernel_at(module->code, 0);
  for (unsigned i = 1; code && strcmp(code->name, description->pKernelName) != 0; i++)
    code = spirv_kernel_at(module->code, i);
  if (!code)
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  REQUIRE(code->num_parameters <= MAX_ARGUMENTS);
  *kernel = calloc(1, sizeof **kernel);
  **kernel = (struct _ze_kernel_handle_t){.kind = KERNEL, .module = module, .code = code};
  module->kernels++;
  level_zero_test.kernels++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel) {
  REQUIRE(kernel->kind == KERNEL);
  REQUIRE(!the_list || !the_list->count);
  kernel->kind = DEAD;
  kernel->module->kernels--;
  free(kernel);
  level_zero_test.kernels--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *properties) {
  STEP();
  REQUIRE(kernel->kind == KERNEL && properties->stype == ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
  properties->numKernelArgs = kernel->code->num_parameters;
  properties->requiredGroupSizeX = kernel->code->local_size[0];
  properties->requiredGroupSizeY = kernel->code->local_size[1];
  properties->requiredGroupSizeZ = kernel->code->local_size[2];
  properties->requiredSubgroupSize = properties->maxSubgroupSize = kernel->code->lanes;
  properties->localMemSize = (uint32_t)kernel->code->local_bytes;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
  STEP();
  REQUIRE(kernel->kind == KERNEL);
  const uint32_t size[3] = {x, y, z};
  uint64_t items = (uint64_t)x * y * z;
  bool fits = items > 0 && items <= SPIRV_MAX_GROUP;
  if (kernel->code->local_size[0])
    fits = fits && !memcmp(size, kernel->code->local_size, sizeof size);
  if (!fits)
    return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  memcpy(kernel->group_size, size, sizeof size);
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t number, size_t size,
                                            const void *value) {
  STEP();
  REQUIRE(kernel->kind == KERNEL);
  if (number >= kernel->code->num_parameters)
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  if (size != kernel->code->parameters[number].size)
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
  kernel->arguments[number] = 0;
  memcpy(&kernel->arguments[number], value, size);
  kernel->given[number] = true;
  void *pointer;
  memcpy(&pointer, &kernel->arguments[number], sizeof pointer);
  if (kernel->code->parameters[number].is_pointer && !find_block(pointer))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return ZE_RESULT_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------------------- events */

EXPORT ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *description,
                                     uint32_t num_devices, ze_device_handle_t *devices, ze_event_pool_handle_t *pool) {
  STEP();
  REQUIRE(context->kind == CONTEXT && description->stype == ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
  REQUIRE(!num_devices || devices[0]->kind == DEVICE);
  *pool = malloc(sizeof **pool);
  **pool = (struct _ze_event_pool_handle_t){POOL, description->count, description->flags};
  level_zero_test.pools++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool) {
  REQUIRE(pool->kind == POOL && !level_zero_test.events);
  pool->kind = DEAD;
  free(pool);
  level_zero_test.pools--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *description,
                                 ze_event_handle_t *event) {
  STEP();
  REQUIRE(pool->kind == POOL && description->stype == ZE_STRUCTURE_TYPE_EVENT_DESC && description->index < pool->count);
  *event = malloc(sizeof **event);
  **event = (struct _ze_event_handle_t){EVENT, pool, false, 0};
  level_zero_test.events++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeEventDestroy(ze_event_handle_t event) {
  REQUIRE(event->kind == EVENT);
  REQUIRE(!the_list || !the_list->count);
  event->kind = DEAD;
  free(event);
  level_zero_test.events--;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeEventHostReset(ze_event_handle_t event) {
  STEP();
  REQUIRE(event->kind == EVENT);
  event->signaled = false;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *result) {
  STEP();
  REQUIRE(event->kind == EVENT && (event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP));
  if (!event->signaled)
    return ZE_RESULT_NOT_READY;
  uint64_t time = event->time & UINT32_MAX;
  *result = (ze_kernel_timestamp_result_t){{time, time}, {time, time}};
  return ZE_RESULT_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------------- commands */

static bool run_kernel(const command *one) {
  const void *arguments[MAX_ARGUMENTS];
  for (unsigned i = 0; i < MAX_ARGUMENTS; i++)
    arguments[i] = &one->kernel.arguments[i];
  spirv_launch launch = {
      .kernel = one->kernel.code,
      .groups = {one->groups[0], one->groups[1], one->groups[2]},
      .local_size = {one->kernel.group_size[0], one->kernel.group_size[1], one->kernel.group_size[2]},
      .arguments = arguments,
      .buffers = blocks,
      .num_buffers = num_blocks};
  ticks += LAUNCH_TICKS;
  if (spirv_run(one->kernel.module->code, &launch, &last_error))
    return true;
  fprintf(stderr, "Level Zero test driver: %s\n", last_error.text);
  return false;
}

/* Executes all commands: those between two barriers from the last to the first. */
static ze_result_t drain(struct _ze_command_list_handle_t *list) {
  bool good = true;
  for (size_t start = 0; start < list->count;) {
    size_t end = start;
    while (end < list->count && list->commands[end].kind != BARRIER)
      end++;
    for (size_t i = end; i-- > start && good;) {
      const command *one = &list->commands[i];
      if (one->kind == COPY)
        memcpy(one->to, one->from, one->size);
      else
        good = run_kernel(one);
      if (one->event)
        one->event->signaled = good;
    }
    if (good && end < list->count && list->commands[end].event) {
      list->commands[end].event->signaled = true;
      list->commands[end].event->time = ticks;
    }
    start = end + 1;
  }
  list->count = 0;
  return good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

EXPORT ze_result_t zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout) {
  STEP();
  REQUIRE(event->kind == EVENT && timeout == UINT64_MAX);
  ze_result_t result = the_list ? drain(the_list) : ZE_RESULT_SUCCESS;
  if (result)
    return result;
  require(event->signaled, "a wait for an event that nobody signals");
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                                const ze_command_queue_desc_t *description,
                                                ze_command_list_handle_t *list) {
  STEP();
  REQUIRE(context->kind == CONTEXT && device->kind == DEVICE && !the_list);
  REQUIRE(description->stype == ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC && description->ordinal == 1);
  *list = calloc(1, sizeof **list);
  (*list)->kind = LIST;
  the_list = *list;
  level_zero_test.lists++;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeCommandListDestroy(ze_command_list_handle_t list) {
  REQUIRE(list->kind == LIST && list == the_list && !list->count);
  list->kind = DEAD;
  free(list->commands);
  free(list);
  the_list = NULL;
  level_zero_test.lists--;
  return ZE_RESULT_SUCCESS;
}

static command *append(struct _ze_command_list_handle_t *list, command_kind kind, ze_event_handle_t event,
                       uint32_t num_waits) {
  REQUIRE(list->kind == LIST && !num_waits && (!event || (event->kind == EVENT && !event->signaled)));
  if (list->count == list->capacity) {
    list->capacity = 2 * list->capacity + 8;
    list->commands = realloc(list->commands, list->capacity * sizeof *list->commands);
  }
  command *one = &list->commands[list->count++];
  *one = (command){.kind = kind, .event = event};
  return one;
}

EXPORT ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *to, const void *from, size_t size,
                                                 ze_event_handle_t event, uint32_t num_waits,
                                                 ze_event_handle_t *waits) {
  STEP();
  command *one = append(list, COPY, event, num_waits);
  const spirv_buffer *block = find_block(to) ? find_block(to) : find_block(from);
  REQUIRE(block && size <= block->size);
  one->to = to;
  one->from = from;
  one->size = size;
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t event,
                                              uint32_t num_waits, ze_event_handle_t *waits) {
  STEP();
  append(list, BARRIER, event, num_waits);
  return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                   const ze_group_count_t *groups, ze_event_handle_t event,
                                                   uint32_t num_waits, ze_event_handle_t *waits) {
  STEP();
  REQUIRE(kernel->kind == KERNEL && kernel->group_size[0]);
  for (unsigned i = 0; i < kernel->code->num_parameters; i++)
    REQUIRE(kernel->given[i]);
  if (kernel->code->local_bytes > the_chip()->spirv.local_bytes)
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  command *one = append(list, LAUNCH, event, num_waits);
  one->kernel = *kernel;
  memcpy(one->groups, groups, sizeof one->groups);
  memcpy(level_zero_test.groups, groups, sizeof level_zero_test.groups);
  memcpy(level_zero_test.group_size, kernel->group_size, sizeof level_zero_test.group_size);
  level_zero_test.common.launches++;
  return ZE_RESULT_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------------------- tables */

static ze_result_t no_sub_devices(ze_device_handle_t device, uint32_t *count, ze_device_handle_t *devices) {
  *count = 0;
  return ZE_RESULT_SUCCESS;
}

static ze_result_t no_extensions(ze_driver_handle_t driver, uint32_t *count, ze_driver_extension_properties_t *list) {
  *count = 0;
  return ZE_RESULT_SUCCESS;
}

/* The loader wants all tables that it knows, those without entries too. */
#define TABLE(FUNCTION, TYPE, ...)                                                                                     \
  EXPORT ze_result_t FUNCTION(ze_api_version_t version, TYPE *table) {                                                 \
    (void)version;                                                                                                     \
    *table = (TYPE){__VA_ARGS__};                                                                                      \
    return ZE_RESULT_SUCCESS;                                                                                          \
  }
TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t, .pfnInit = zeInit)
TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t, .pfnGet = zeDriverGet, .pfnGetApiVersion = driver_version,
      .pfnGetExtensionProperties = no_extensions)
TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t, .pfnGet = zeDeviceGet, .pfnGetSubDevices = no_sub_devices,
      .pfnGetProperties = zeDeviceGetProperties, .pfnGetComputeProperties = zeDeviceGetComputeProperties,
      .pfnGetModuleProperties = zeDeviceGetModuleProperties,
      .pfnGetCommandQueueGroupProperties = zeDeviceGetCommandQueueGroupProperties)
TABLE(zeGetContextProcAddrTable, ze_context_dditable_t, .pfnCreate = zeContextCreate, .pfnDestroy = zeContextDestroy)
TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t, .pfnAllocDevice = zeMemAllocDevice, .pfnFree = zeMemFree)
TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t, .pfnCreate = zeModuleCreate, .pfnDestroy = zeModuleDestroy)
TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, .pfnDestroy = zeModuleBuildLogDestroy,
      .pfnGetString = zeModuleBuildLogGetString)
TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t, .pfnCreate = zeKernelCreate, .pfnDestroy = zeKernelDestroy,
      .pfnSetGroupSize = zeKernelSetGroupSize, .pfnSetArgumentValue = zeKernelSetArgumentValue,
      .pfnGetProperties = zeKernelGetProperties)
TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, .pfnCreateImmediate = zeCommandListCreateImmediate,
      .pfnDestroy = zeCommandListDestroy, .pfnAppendMemoryCopy = zeCommandListAppendMemoryCopy,
      .pfnAppendBarrier = zeCommandListAppendBarrier, .pfnAppendLaunchKernel = zeCommandListAppendLaunchKernel)
TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, .pfnCreate = zeEventPoolCreate,
      .pfnDestroy = zeEventPoolDestroy)
TABLE(zeGetEventProcAddrTable, ze_event_dditable_t, .pfnCreate = zeEventCreate, .pfnDestroy = zeEventDestroy,
      .pfnHostSynchronize = zeEventHostSynchronize, .pfnHostReset = zeEventHostReset,
      .pfnQueryKernelTimestamp = zeEventQueryKernelTimestamp)
#define EMPTY(FUNCTION, TYPE) TABLE(FUNCTION, TYPE, 0)
EMPTY(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
EMPTY(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
EMPTY(zeGetImageProcAddrTable, ze_image_dditable_t)
EMPTY(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
EMPTY(zeGetFenceProcAddrTable, ze_fence_dditable_t)
EMPTY(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
EMPTY(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
EMPTY(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
EMPTY(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
EMPTY(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
EMPTY(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
EMPTY(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
EMPTY(zetGetDeviceProcAddrTable, zet_device_dditable_t)
EMPTY(zetGetContextProcAddrTable, zet_context_dditable_t)
EMPTY(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
EMPTY(zetGetModuleProcAddrTable, zet_module_dditable_t)
EMPTY(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
EMPTY(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
EMPTY(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
EMPTY(zetGetMetricProcAddrTable, zet_metric_dditable_t)
EMPTY(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
EMPTY(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
EMPTY(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
EMPTY(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
EMPTY(zetGetDebugProcAddrTable, zet_debug_dditable_t)
EMPTY(zesGetDriverProcAddrTable, zes_driver_dditable_t)
EMPTY(zesGetDeviceProcAddrTable, zes_device_dditable_t)
EMPTY(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
EMPTY(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
EMPTY(zesGetPowerProcAddrTable, zes_power_dditable_t)
EMPTY(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
EMPTY(zesGetEngineProcAddrTable, zes_engine_dditable_t)
EMPTY(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
EMPTY(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
EMPTY(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
EMPTY(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
EMPTY(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
EMPTY(zesGetPsuProcAddrTable, zes_psu_dditable_t)
EMPTY(zesGetFanProcAddrTable, zes_fan_dditable_t)
EMPTY(zesGetLedProcAddrTable, zes_led_dditable_t)
EMPTY(zesGetRasProcAddrTable, zes_ras_dditable_t)
EMPTY(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
