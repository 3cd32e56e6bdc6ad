/* fake_ocl.c - a libOpenCL.so.1 that runs SPIR-V on the executor in tests/level_zero. It has one platform with one
 * device.
 *
 * Every call that can fail is counted, and any one can be made to fail. Memory starts as NaN in every float type. What
 * is used without having been created, or after its release, ends the process: such a call would crash for real. */
#include "fake_ocl.h"
#include "runtime/ocl_api.h"
#include "tests/level_zero/spirv.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MAX_BLOCKS = 64, MAX_PARAMETERS = 16, MAX_GROUP = 256, LOCAL_BYTES = 64 << 10, TICK = 5000000 };

struct ocl_platform_handle {
  int unused;
};
struct ocl_device_handle {
  int unused;
};
struct ocl_context_handle {
  int unused;
};
struct ocl_queue_handle {
  int unused;
};
struct ocl_event_handle {
  unsigned number;
};
struct ocl_program_handle {
  char *code;
  size_t size;
  spirv_module *module; /* NULL until it is built */
  spirv_message log;
};
struct ocl_kernel_handle {
  const spirv_module *module;
  const spirv_kernel *code;
  uint64_t values[MAX_PARAMETERS];
  bool set[MAX_PARAMETERS];
};

/* The test gets at it by dlsym. */
EXPORT fake_ocl_state fake_ocl;

static struct ocl_platform_handle the_platform;
static struct ocl_device_handle the_device;
static spirv_buffer blocks[MAX_BLOCKS]; /* base NULL: free */

static void require(bool good) {
  if (!good)
    abort();
}

/* Counts a call; what it returns if it is the one to fail. */
static ocl_result step(const char *name) {
  if (++fake_ocl.common.calls != fake_ocl.common.fault)
    return 0;
  fake_ocl.common.failed = name;
  return FAKE_OCL_FAULT;
}

#define STEP()                                                                                                         \
  do {                                                                                                                 \
    ocl_result result = step(__func__);                                                                                \
    if (result)                                                                                                        \
      return result;                                                                                                   \
  } while (0)
/* In functions that create something: the result goes to *RESULT, and what they return then is nothing to be used. */
#define STEP_TO(RESULT)                                                                                                \
  do {                                                                                                                 \
    *(RESULT) = step(__func__);                                                                                        \
    if (*(RESULT))                                                                                                     \
      return (void *)(uintptr_t)1;                                                                                     \
  } while (0)

/* Answers a question. */
static ocl_result tell(const void *answer, size_t size, size_t room, void *value, size_t *size_out) {
  if (size_out)
    *size_out = size;
  if (!value)
    return 0;
  require(room >= size);
  memcpy(value, answer, size);
  return 0;
}

/* ------------------------------------------------------------------------------------------------- platform, device */

EXPORT ocl_result clGetPlatformIDs(uint32_t room, ocl_platform *platforms, uint32_t *count) {
  STEP();
  require(room > 0);
  *platforms = &the_platform;
  *count = 1;
  return 0;
}

EXPORT ocl_result clGetDeviceIDs(ocl_platform platform, uint64_t type, uint32_t room, ocl_device *devices,
                                 uint32_t *count) {
  STEP();
  require(platform == &the_platform && room > 0 && (uint32_t)type == UINT32_MAX);
  *devices = &the_device;
  *count = 1;
  return 0;
}

EXPORT ocl_result clGetDeviceInfo(ocl_device device, uint32_t what, size_t room, void *value, size_t *size) {
  STEP();
  require(device == &the_device);
  static const char name[] = "Fake";
  const char *language = fake_ocl.language ? fake_ocl.language : "SPIR-V_1.4";
  const uint64_t local_bytes = LOCAL_BYTES, sharing = OCL_SVM_BUFFERS;
  switch (what) {
  case OCL_DEVICE_NAME:
    return tell(name, sizeof name, room, value, size);
  case OCL_DEVICE_LOCAL_BYTES:
    return tell(&local_bytes, sizeof local_bytes, room, value, size);
  case OCL_DEVICE_SVM:
    return tell(&sharing, sizeof sharing, room, value, size);
  case OCL_DEVICE_IL:
    return tell(language, strlen(language) + 1, room, value, size);
  default:
    return -30;
  }
}

/* ---------------------------------------------------------------------------------------------------------- objects */

EXPORT ocl_context clCreateContext(const intptr_t *properties, uint32_t num_devices, const ocl_device *devices,
                                   void *notify, void *user, ocl_result *result) {
  require(!properties && num_devices == 1 && *devices == &the_device && !notify && !user);
  STEP_TO(result);
  fake_ocl.contexts++;
  return calloc(1, sizeof(struct ocl_context_handle));
}

EXPORT ocl_result clReleaseContext(ocl_context context) {
  require(!fake_ocl.queues && !fake_ocl.programs && !fake_ocl.common.blocks);
  fake_ocl.contexts--;
  free(context);
  return 0;
}

EXPORT ocl_queue clCreateCommandQueueWithProperties(ocl_context context, ocl_device device, const uint64_t *properties,
                                                    ocl_result *result) {
  require(context && device == &the_device && properties[0] == OCL_QUEUE_PROPERTIES &&
          properties[1] == OCL_QUEUE_PROFILING && !properties[2]);
  STEP_TO(result);
  fake_ocl.queues++;
  return calloc(1, sizeof(struct ocl_queue_handle));
}

EXPORT ocl_result clReleaseCommandQueue(ocl_queue queue) {
  require(queue && fake_ocl.queues);
  fake_ocl.queues--;
  free(queue);
  return 0;
}

EXPORT ocl_result clFinish(ocl_queue queue) {
  STEP();
  require(queue && fake_ocl.queues);
  return 0;
}

EXPORT ocl_program clCreateProgramWithIL(ocl_context context, const void *code, size_t size, ocl_result *result) {
  require(context && code && size);
  STEP_TO(result);
  fake_ocl.programs++;
  ocl_program program = calloc(1, sizeof *program);
  program->code = malloc(size);
  memcpy(program->code, code, size);
  program->size = size;
  return program;
}

EXPORT ocl_result clBuildProgram(ocl_program program, uint32_t num_devices, const ocl_device *devices,
                                 const char *options, void *notify, void *user) {
  static const spirv_chip chip = {16, 0, false, LOCAL_BYTES};
  require(num_devices == 1 && *devices == &the_device && !*options && !notify && !user);
  STEP();
  program->module = spirv_load(program->code, program->size, &chip, &program->log);
  return program->module ? 0 : -11;
}

EXPORT ocl_result clGetProgramBuildInfo(ocl_program program, ocl_device device, uint32_t what, size_t room, void *value,
                                        size_t *size) {
  STEP();
  require(device == &the_device && what == OCL_BUILD_LOG);
  return tell(program->log.text, strlen(program->log.text) + 1, room, value, size);
}

EXPORT ocl_result clReleaseProgram(ocl_program program) {
  require(!fake_ocl.kernels);
  fake_ocl.programs--;
  spirv_free(program->module);
  free(program->code);
  free(program);
  return 0;
}

/* ---------------------------------------------------------------------------------------------------------- kernels */

EXPORT ocl_kernel clCreateKernel(ocl_program program, const char *name, ocl_result *result) {
  require(program->module);
  STEP_TO(result);
  const spirv_kernel *code;
  for (unsigned i = 0; (code = spirv_kernel_at(program->module, i)); i++)
    if (!strcmp(code->name, name))
      break;
  *result = code ? 0 : -46;
  if (!code)
    return NULL;
  fake_ocl.kernels++;
  ocl_kernel kernel = calloc(1, sizeof *kernel);
  kernel->module = program->module;
  kernel->code = code;
  return kernel;
}

EXPORT ocl_result clReleaseKernel(ocl_kernel kernel) {
  require(fake_ocl.kernels);
  fake_ocl.kernels--;
  free(kernel);
  return 0;
}

EXPORT ocl_result clGetKernelWorkGroupInfo(ocl_kernel kernel, ocl_device device, uint32_t what, size_t room,
                                           void *value, size_t *size) {
  STEP();
  require(device == &the_device && (what == OCL_KERNEL_MAX_GROUP || what == OCL_KERNEL_LOCAL_BYTES));
  const size_t most = MAX_GROUP;
  const uint64_t local_bytes = kernel->code->local_bytes;
  return what == OCL_KERNEL_MAX_GROUP ? tell(&most, sizeof most, room, value, size)
                                      : tell(&local_bytes, sizeof local_bytes, room, value, size);
}

static ocl_result set_value(ocl_kernel kernel, uint32_t number, bool is_pointer, size_t size, const void *value) {
  require(kernel->code->num_parameters <= MAX_PARAMETERS);
  if (number >= kernel->code->num_parameters)
    return -49;
  const spirv_parameter *parameter = &kernel->code->parameters[number];
  if (parameter->is_pointer != is_pointer || parameter->size != size)
    return -51;
  memcpy(&kernel->values[number], value, size);
  kernel->set[number] = true;
  return 0;
}

EXPORT ocl_result clSetKernelArg(ocl_kernel kernel, uint32_t number, size_t size, const void *value) {
  STEP();
  return set_value(kernel, number, false, size, value);
}

EXPORT ocl_result clSetKernelArgSVMPointer(ocl_kernel kernel, uint32_t number, const void *value) {
  STEP();
  return set_value(kernel, number, true, sizeof value, &value);
}

EXPORT ocl_result clEnqueueNDRangeKernel(ocl_queue queue, ocl_kernel kernel, uint32_t num_dims, const size_t *offset,
                                         const size_t *items, const size_t *group, uint32_t num_waits,
                                         const ocl_event *waits, ocl_event *event) {
  STEP();
  require(queue && num_dims == 3 && !offset && !num_waits && !waits && event);
  spirv_launch launch = {.kernel = kernel->code};
  spirv_buffer buffers[MAX_BLOCKS];
  const void *arguments[MAX_PARAMETERS];
  for (unsigned k = 0; k < 3; k++) {
    if (!group[k] || items[k] % group[k])
      return -54;
    launch.groups[k] = (uint32_t)(items[k] / group[k]);
    launch.local_size[k] = (uint32_t)group[k];
  }
  for (unsigned i = 0; i < kernel->code->num_parameters; i++) {
    if (!kernel->set[i])
      return -52;
    arguments[i] = &kernel->values[i];
  }
  for (unsigned i = 0; i < MAX_BLOCKS; i++)
    if (blocks[i].base)
      buffers[launch.num_buffers++] = blocks[i];
  launch.arguments = arguments;
  launch.buffers = buffers;
  spirv_message message;
  if (!spirv_run(kernel->module, &launch, &message))
    return -5;
  memcpy(fake_ocl.items, items, sizeof fake_ocl.items);
  memcpy(fake_ocl.group, group, sizeof fake_ocl.group);
  fake_ocl.events++;
  *event = calloc(1, sizeof **event);
  (*event)->number = fake_ocl.common.launches++;
  return 0;
}

/* Each launch takes a tick, one after the other. */
EXPORT ocl_result clGetEventProfilingInfo(ocl_event event, uint32_t what, size_t room, void *value, size_t *size) {
  STEP();
  require(what == OCL_TIME_START || what == OCL_TIME_END);
  const uint64_t time = (uint64_t)(event->number + (what == OCL_TIME_END)) * TICK;
  return tell(&time, sizeof time, room, value, size);
}

EXPORT ocl_result clReleaseEvent(ocl_event event) {
  require(fake_ocl.events);
  fake_ocl.events--;
  free(event);
  return 0;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

EXPORT void *clSVMAlloc(ocl_context context, uint64_t flags, size_t size, uint32_t alignment) {
  require(context && flags == OCL_READ_WRITE && size && alignment <= 128);
  if (step(__func__))
    return NULL;
  unsigned i = 0;
  while (i < MAX_BLOCKS && blocks[i].base)
    i++;
  require(i < MAX_BLOCKS);
  blocks[i] = (spirv_buffer){aligned_alloc(128, (size + 127) / 128 * 128), size};
  memset(blocks[i].base, 0xff, size);
  fake_ocl.common.blocks++;
  return blocks[i].base;
}

EXPORT void clSVMFree(ocl_context context, void *memory) {
  unsigned i = 0;
  while (i < MAX_BLOCKS && blocks[i].base != memory)
    i++;
  require(context && memory && i < MAX_BLOCKS);
  free(memory);
  blocks[i].base = NULL;
  fake_ocl.common.blocks--;
}

EXPORT ocl_result clEnqueueSVMMemcpy(ocl_queue queue, uint32_t blocking, void *to, const void *from, size_t size,
                                     uint32_t num_waits, const ocl_event *waits, ocl_event *event) {
  STEP();
  require(queue && blocking && !num_waits && !waits && !event);
  memcpy(to, from, size);
  return 0;
}
