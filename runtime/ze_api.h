/* ze_api.h - what ze.c uses of Level Zero, version 1.3: our own declarations, so that no headers are needed to build. A
 * test compares them with the real ones. Names are those of the specification, in our spelling. Not installed. */
#ifndef TEC_RUNTIME_ZE_API_H
#define TEC_RUNTIME_ZE_API_H
#include <stddef.h>
#include <stdint.h>

/* ZE_RESULT(name, value) */
#define ZE_RESULTS(ZE_RESULT)                                                                                          \
  ZE_RESULT(NOT_READY, 1)                                                                                              \
  ZE_RESULT(ERROR_DEVICE_LOST, 0x70000001)                                                                             \
  ZE_RESULT(ERROR_OUT_OF_HOST_MEMORY, 0x70000002)                                                                      \
  ZE_RESULT(ERROR_OUT_OF_DEVICE_MEMORY, 0x70000003)                                                                    \
  ZE_RESULT(ERROR_MODULE_BUILD_FAILURE, 0x70000004)                                                                    \
  ZE_RESULT(ERROR_MODULE_LINK_FAILURE, 0x70000005)                                                                     \
  ZE_RESULT(ERROR_DEVICE_REQUIRES_RESET, 0x70000006)                                                                   \
  ZE_RESULT(ERROR_INSUFFICIENT_PERMISSIONS, 0x70010000)                                                                \
  ZE_RESULT(ERROR_NOT_AVAILABLE, 0x70010001)                                                                           \
  ZE_RESULT(ERROR_DEPENDENCY_UNAVAILABLE, 0x70020000)                                                                  \
  ZE_RESULT(ERROR_UNINITIALIZED, 0x78000001)                                                                           \
  ZE_RESULT(ERROR_UNSUPPORTED_VERSION, 0x78000002)                                                                     \
  ZE_RESULT(ERROR_UNSUPPORTED_FEATURE, 0x78000003)                                                                     \
  ZE_RESULT(ERROR_INVALID_ARGUMENT, 0x78000004)                                                                        \
  ZE_RESULT(ERROR_INVALID_SIZE, 0x78000008)                                                                            \
  ZE_RESULT(ERROR_UNSUPPORTED_SIZE, 0x78000009)                                                                        \
  ZE_RESULT(ERROR_INVALID_NATIVE_BINARY, 0x7800000f)                                                                   \
  ZE_RESULT(ERROR_INVALID_KERNEL_NAME, 0x78000011)                                                                     \
  ZE_RESULT(ERROR_INVALID_GROUP_SIZE_DIMENSION, 0x78000013)                                                            \
  ZE_RESULT(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, 0x78000015)                                                           \
  ZE_RESULT(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, 0x78000016)                                                            \
  ZE_RESULT(ERROR_INVALID_MODULE_UNLINKED, 0x78000018)                                                                 \
  ZE_RESULT(ERROR_UNKNOWN, 0x7ffffffe)

typedef uint32_t ze_result; /* 0: success */
typedef uint32_t ze_flags;
typedef struct ze_driver_handle *ze_driver;
typedef struct ze_device_handle *ze_device;
typedef struct ze_context_handle *ze_context;
typedef struct ze_list_handle *ze_list;
typedef struct ze_pool_handle *ze_pool;
typedef struct ze_event_handle *ze_event;
typedef struct ze_module_handle *ze_module;
typedef struct ze_log_handle *ze_log;
typedef struct ze_kernel_handle *ze_kernel;

/* The field `type` of each struct. */
enum {
  ZE_COMPUTE_PROPERTIES = 0x4,
  ZE_MODULE_PROPERTIES = 0x5,
  ZE_QUEUE_GROUP_PROPERTIES = 0x6,
  ZE_CONTEXT = 0xd,
  ZE_QUEUE = 0xe,
  ZE_POOL = 0x10,
  ZE_EVENT = 0x11,
  ZE_ALLOCATION = 0x15,
  ZE_MODULE = 0x1b,
  ZE_KERNEL = 0x1d,
  ZE_KERNEL_PROPERTIES = 0x1e,
  ZE_DEVICE_PROPERTIES = 0x20006 /* in which timer_resolution is in cycles a second */
};

enum {
  ZE_INIT_GPU_ONLY = 1,
  ZE_DEVICE_GPU = 1,
  ZE_QUEUE_COMPUTES = 1,
  ZE_QUEUE_ASYNCHRONOUS = 2,
  ZE_POOL_HOST_VISIBLE = 1,
  ZE_POOL_TIMESTAMPS = 4,
  ZE_SCOPE_HOST = 4,
  ZE_FORMAT_SPIRV = 0,
  ZE_FORMAT_NATIVE = 1
};

typedef struct ze_device_properties {
  uint32_t type;
  void *next;
  uint32_t kind, vendor, id;
  ze_flags flags;
  uint32_t subdevice, clock_rate;
  uint64_t max_allocation;
  uint32_t max_contexts, max_priority, threads_per_unit, simd_width, units_per_subslice, subslices_per_slice, slices;
  uint64_t timer_resolution;
  uint32_t timestamp_bits, kernel_timestamp_bits;
  uint8_t uuid[16];
  char name[256];
} ze_device_properties;

typedef struct ze_compute_properties {
  uint32_t type;
  void *next;
  uint32_t max_group, max_group_size[3], max_groups[3], max_local_bytes, num_subgroup_sizes, subgroup_sizes[8];
} ze_compute_properties;

typedef struct ze_module_properties {
  uint32_t type;
  void *next;
  uint32_t spirv_version; /* 0x10004 for 1.4 */
  ze_flags flags, f16, f32, f64;
  uint32_t max_argument_bytes, printf_bytes;
  uint8_t native_kernels[16];
} ze_module_properties;

typedef struct ze_queue_group_properties {
  uint32_t type;
  void *next;
  ze_flags flags;
  size_t max_pattern;
  uint32_t num_queues;
} ze_queue_group_properties;

typedef struct ze_context_description {
  uint32_t type;
  const void *next;
  ze_flags flags;
} ze_context_description;

typedef struct ze_queue_description {
  uint32_t type;
  const void *next;
  uint32_t ordinal, index;
  ze_flags flags;
  uint32_t mode, priority;
} ze_queue_description;

typedef struct ze_pool_description {
  uint32_t type;
  const void *next;
  ze_flags flags;
  uint32_t count;
} ze_pool_description;

typedef struct ze_event_description {
  uint32_t type;
  const void *next;
  uint32_t index;
  ze_flags signal, wait;
} ze_event_description;

typedef struct ze_timestamps {
  uint64_t global_start, global_end, context_start, context_end;
} ze_timestamps;

typedef struct ze_allocation_description {
  uint32_t type;
  const void *next;
  ze_flags flags;
  uint32_t ordinal;
} ze_allocation_description;

typedef struct ze_module_description {
  uint32_t type;
  const void *next;
  uint32_t format;
  size_t size;
  const uint8_t *code;
  const char *flags;
  const void *constants;
} ze_module_description;

typedef struct ze_kernel_description {
  uint32_t type;
  const void *next;
  ze_flags flags;
  const char *name;
} ze_kernel_description;

typedef struct ze_kernel_properties {
  uint32_t type;
  void *next;
  uint32_t num_arguments, group_size[3], num_subgroups, subgroup_size, max_subgroup_size, max_subgroups, local_bytes,
      private_bytes, spilled_bytes;
  uint8_t uuid[32];
} ze_kernel_properties;

/* SYMBOL(field, the loader's name, parameters) */
#define ZE_SYMBOLS(SYMBOL)                                                                                             \
  SYMBOL(initialise, zeInit, (ze_flags flags))                                                                         \
  SYMBOL(driver_get, zeDriverGet, (uint32_t * count, ze_driver * drivers))                                             \
  SYMBOL(device_get, zeDeviceGet, (ze_driver driver, uint32_t * count, ze_device * devices))                           \
  SYMBOL(device_properties, zeDeviceGetProperties, (ze_device device, ze_device_properties * properties))              \
  SYMBOL(compute_properties, zeDeviceGetComputeProperties, (ze_device device, ze_compute_properties * properties))     \
  SYMBOL(module_properties, zeDeviceGetModuleProperties, (ze_device device, ze_module_properties * properties))        \
  SYMBOL(queue_groups, zeDeviceGetCommandQueueGroupProperties,                                                         \
         (ze_device device, uint32_t * count, ze_queue_group_properties * properties))                                 \
  SYMBOL(context_create, zeContextCreate,                                                                              \
         (ze_driver driver, const ze_context_description *description, ze_context *context))                           \
  SYMBOL(context_destroy, zeContextDestroy, (ze_context context))                                                      \
  SYMBOL(list_create, zeCommandListCreateImmediate,                                                                    \
         (ze_context context, ze_device device, const ze_queue_description *description, ze_list *list))               \
  SYMBOL(list_destroy, zeCommandListDestroy, (ze_list list))                                                           \
  SYMBOL(                                                                                                              \
      append_copy, zeCommandListAppendMemoryCopy,                                                                      \
      (ze_list list, void *to, const void *from, size_t size, ze_event signal, uint32_t num_waits, ze_event *waits))   \
  SYMBOL(append_barrier, zeCommandListAppendBarrier,                                                                   \
         (ze_list list, ze_event signal, uint32_t num_waits, ze_event * waits))                                        \
  SYMBOL(                                                                                                              \
      append_launch, zeCommandListAppendLaunchKernel,                                                                  \
      (ze_list list, ze_kernel kernel, const uint32_t *groups, ze_event signal, uint32_t num_waits, ze_event *waits))  \
  SYMBOL(pool_create, zeEventPoolCreate,                                                                               \
         (ze_context context, const ze_pool_description *description, uint32_t num_devices, ze_device *devices,        \
          ze_pool *pool))                                                                                              \
  SYMBOL(pool_destroy, zeEventPoolDestroy, (ze_pool pool))                                                             \
  SYMBOL(event_create, zeEventCreate, (ze_pool pool, const ze_event_description *description, ze_event *event))        \
  SYMBOL(event_destroy, zeEventDestroy, (ze_event event))                                                              \
  SYMBOL(event_reset, zeEventHostReset, (ze_event event))                                                              \
  SYMBOL(event_wait, zeEventHostSynchronize, (ze_event event, uint64_t timeout))                                       \
  SYMBOL(event_time, zeEventQueryKernelTimestamp, (ze_event event, ze_timestamps * timestamps))                        \
  SYMBOL(allocate, zeMemAllocDevice,                                                                                   \
         (ze_context context, const ze_allocation_description *description, size_t size, size_t alignment,             \
          ze_device device, void **memory))                                                                            \
  SYMBOL(release, zeMemFree, (ze_context context, void *memory))                                                       \
  SYMBOL(module_create, zeModuleCreate,                                                                                \
         (ze_context context, ze_device device, const ze_module_description *description, ze_module *module,           \
          ze_log *log))                                                                                                \
  SYMBOL(module_destroy, zeModuleDestroy, (ze_module module))                                                          \
  SYMBOL(log_text, zeModuleBuildLogGetString, (ze_log log, size_t * size, char *text))                                 \
  SYMBOL(log_destroy, zeModuleBuildLogDestroy, (ze_log log))                                                           \
  SYMBOL(kernel_create, zeKernelCreate,                                                                                \
         (ze_module module, const ze_kernel_description *description, ze_kernel *kernel))                              \
  SYMBOL(kernel_destroy, zeKernelDestroy, (ze_kernel kernel))                                                          \
  SYMBOL(kernel_properties, zeKernelGetProperties, (ze_kernel kernel, ze_kernel_properties * properties))              \
  SYMBOL(kernel_group_size, zeKernelSetGroupSize, (ze_kernel kernel, uint32_t x, uint32_t y, uint32_t z))              \
  SYMBOL(kernel_argument, zeKernelSetArgumentValue, (ze_kernel kernel, uint32_t number, size_t size, const void *value))
#endif
