/* ocl_api.h - what ocl.c uses of OpenCL 2.1: our own declarations, so that no headers are needed to build. A test
 * compares them with the real ones. Not installed. */
#ifndef TEC_RUNTIME_OCL_API_H
#define TEC_RUNTIME_OCL_API_H
#include <stddef.h>
#include <stdint.h>

/* OCL_RESULT(name, value) */
#define OCL_RESULTS(OCL_RESULT)                                                                                        \
  OCL_RESULT(DEVICE_NOT_FOUND, -1)                                                                                     \
  OCL_RESULT(DEVICE_NOT_AVAILABLE, -2)                                                                                 \
  OCL_RESULT(COMPILER_NOT_AVAILABLE, -3)                                                                               \
  OCL_RESULT(MEM_OBJECT_ALLOCATION_FAILURE, -4)                                                                        \
  OCL_RESULT(OUT_OF_RESOURCES, -5)                                                                                     \
  OCL_RESULT(OUT_OF_HOST_MEMORY, -6)                                                                                   \
  OCL_RESULT(BUILD_PROGRAM_FAILURE, -11)                                                                               \
  OCL_RESULT(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                                                           \
  OCL_RESULT(INVALID_VALUE, -30)                                                                                       \
  OCL_RESULT(INVALID_DEVICE, -33)                                                                                      \
  OCL_RESULT(INVALID_BINARY, -42)                                                                                      \
  OCL_RESULT(INVALID_PROGRAM_EXECUTABLE, -45)                                                                          \
  OCL_RESULT(INVALID_KERNEL_NAME, -46)                                                                                 \
  OCL_RESULT(INVALID_ARG_INDEX, -49)                                                                                   \
  OCL_RESULT(INVALID_ARG_VALUE, -50)                                                                                   \
  OCL_RESULT(INVALID_ARG_SIZE, -51)                                                                                    \
  OCL_RESULT(INVALID_KERNEL_ARGS, -52)                                                                                 \
  OCL_RESULT(INVALID_WORK_GROUP_SIZE, -54)                                                                             \
  OCL_RESULT(INVALID_WORK_ITEM_SIZE, -55)                                                                              \
  OCL_RESULT(INVALID_OPERATION, -59)

typedef int32_t ocl_result; /* 0: success */
typedef struct ocl_platform_handle *ocl_platform;
typedef struct ocl_device_handle *ocl_device;
typedef struct ocl_context_handle *ocl_context;
typedef struct ocl_queue_handle *ocl_queue;
typedef struct ocl_program_handle *ocl_program;
typedef struct ocl_kernel_handle *ocl_kernel;
typedef struct ocl_event_handle *ocl_event;

enum {
  OCL_PLATFORM_NOT_FOUND = -1001, /* the loader's, where there is no driver */
  OCL_DEVICE_TYPE_ALL = -1,       /* of 64 bits; as 32 bits drivers take it too */
  OCL_DEVICE_LOCAL_BYTES = 0x1023,
  OCL_DEVICE_NAME = 0x102b,
  OCL_DEVICE_SVM = 0x1053,
  OCL_DEVICE_IL = 0x105b,
  OCL_SVM_BUFFERS = 1,
  OCL_QUEUE_PROPERTIES = 0x1093,
  OCL_QUEUE_PROFILING = 2,
  OCL_BUILD_LOG = 0x1183,
  OCL_KERNEL_MAX_GROUP = 0x11b0,
  OCL_KERNEL_LOCAL_BYTES = 0x11b2,
  OCL_TIME_START = 0x1282,
  OCL_TIME_END = 0x1283,
  OCL_READ_WRITE = 1
};

/* SYMBOL(field, result, the loader's name, parameters) */
#define OCL_SYMBOLS(SYMBOL)                                                                                            \
  SYMBOL(platforms, ocl_result, clGetPlatformIDs, (uint32_t room, ocl_platform * platforms, uint32_t * count))         \
  SYMBOL(devices, ocl_result, clGetDeviceIDs,                                                                          \
         (ocl_platform platform, uint64_t type, uint32_t room, ocl_device * devices, uint32_t * count))                \
  SYMBOL(device_info, ocl_result, clGetDeviceInfo,                                                                     \
         (ocl_device device, uint32_t what, size_t room, void *value, size_t *size))                                   \
  SYMBOL(context_create, ocl_context, clCreateContext,                                                                 \
         (const intptr_t *properties, uint32_t num_devices, const ocl_device *devices, void *notify, void *user,       \
          ocl_result *result))                                                                                         \
  SYMBOL(context_release, ocl_result, clReleaseContext, (ocl_context context))                                         \
  SYMBOL(queue_create, ocl_queue, clCreateCommandQueueWithProperties,                                                  \
         (ocl_context context, ocl_device device, const uint64_t *properties, ocl_result *result))                     \
  SYMBOL(queue_release, ocl_result, clReleaseCommandQueue, (ocl_queue queue))                                          \
  SYMBOL(finish, ocl_result, clFinish, (ocl_queue queue))                                                              \
  SYMBOL(program_create, ocl_program, clCreateProgramWithIL,                                                           \
         (ocl_context context, const void *code, size_t size, ocl_result *result))                                     \
  SYMBOL(program_build, ocl_result, clBuildProgram,                                                                    \
         (ocl_program program, uint32_t num_devices, const ocl_device *devices, const char *options, void *notify,     \
          void *user))                                                                                                 \
  SYMBOL(build_info, ocl_result, clGetProgramBuildInfo,                                                                \
         (ocl_program program, ocl_device device, uint32_t what, size_t room, void *value, size_t *size))              \
  SYMBOL(program_release, ocl_result, clReleaseProgram, (ocl_program program))                                         \
  SYMBOL(kernel_create, ocl_kernel, clCreateKernel, (ocl_program program, const char *name, ocl_result *result))       \
  SYMBOL(kernel_release, ocl_result, clReleaseKernel, (ocl_kernel kernel))                                             \
  SYMBOL(kernel_info, ocl_result, clGetKernelWorkGroupInfo,                                                            \
         (ocl_kernel kernel, ocl_device device, uint32_t what, size_t room, void *value, size_t *size))                \
  SYMBOL(kernel_value, ocl_result, clSetKernelArg,                                                                     \
         (ocl_kernel kernel, uint32_t number, size_t size, const void *value))                                         \
  SYMBOL(kernel_pointer, ocl_result, clSetKernelArgSVMPointer,                                                         \
         (ocl_kernel kernel, uint32_t number, const void *value))                                                      \
  SYMBOL(allocate, void *, clSVMAlloc, (ocl_context context, uint64_t flags, size_t size, uint32_t alignment))         \
  SYMBOL(release, void, clSVMFree, (ocl_context context, void *memory))                                                \
  SYMBOL(copy, ocl_result, clEnqueueSVMMemcpy,                                                                         \
         (ocl_queue queue, uint32_t blocking, void *to, const void *from, size_t size, uint32_t num_waits,             \
          const ocl_event *waits, ocl_event *event))                                                                   \
  SYMBOL(launch, ocl_result, clEnqueueNDRangeKernel,                                                                   \
         (ocl_queue queue, ocl_kernel kernel, uint32_t num_dims, const size_t *offset, const size_t *items,            \
          const size_t *group, uint32_t num_waits, const ocl_event *waits, ocl_event *event))                          \
  SYMBOL(event_time, ocl_result, clGetEventProfilingInfo,                                                              \
         (ocl_event event, uint32_t what, size_t room, void *value, size_t *size))                                     \
  SYMBOL(event_release, ocl_result, clReleaseEvent, (ocl_event event))
#endif
