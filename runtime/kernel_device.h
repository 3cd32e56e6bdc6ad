/* kernel_device.h - what devices that launch kernels share, and the few functions in which they differ. Not
 * installed. */
#ifndef TEC_RUNTIME_KERNEL_DEVICE_H
#define TEC_RUNTIME_KERNEL_DEVICE_H
#include "runtime/runtime.h"

typedef struct kernel_launch {
  const char *name;
  void *kernel; /* what `find` gave */
  uint32_t grid[3], block[3], shared_bytes;
  uint32_t num_arguments;
  const program_argument *arguments; /* what they are */
  void **values;                     /* where the value of each argument lies */
  const size_t *sizes;
} kernel_launch;

/* A driver. A session is the code of one program on one device, with what launching it takes; its first member is the
 * tec_context. All functions that return a status report their errors; the device's addresses are 64-bit numbers. */
struct kernel_driver {
  size_t session_bytes;
  DLDeviceType memory; /* DLPack's name for its memory; 0: callers cannot hold tensors there */
  /* Fills in a session that holds nothing but the context; close takes back what was opened so far, after an error,
   * too. */
  tec_status (*open)(void *session, const char *code, size_t size);
  void (*close)(void *session);
  /* Takes back a kernel that `find` gave, before close. NULL: it goes with the session. */
  void (*forget)(void *session, void *kernel);
  /* Around everything below, on the calling thread. Both may be NULL: there is nothing to do. */
  tec_status (*enter)(void *session);
  void (*leave)(void *session);
  /* The kernel of a launch, ready to be launched like that; one that turns out not to be is to be forgotten, too. NULL:
   * launches go by the name. */
  tec_status (*find)(void *session, const program_launch *launch, void **kernel);
  tec_status (*allocate)(void *session, size_t size, uint64_t *address); /* size > 0; 128-byte aligned */
  void (*release)(void *session, uint64_t address);
  tec_status (*copy_in)(void *session, uint64_t to, const void *from, size_t size);
  tec_status (*copy_out)(void *session, void *to, uint64_t from, size_t size);
  tec_status (*launch)(void *session, const kernel_launch *launch);
  /* The time from start to finish on the device's clock; finish waits for all that was launched. Both may be NULL: the
   * device has no clock, and launches return when they are done. */
  tec_status (*start)(void *session);
  tec_status (*finish)(void *session, double *seconds);
};

/* For drivers whose kernels bring their local memory along: a work-group of the launch, whose kernel has so many bytes,
 * fits on the device of that name. */
tec_status kernel_check_group(tec_context *context, const program_launch *launch, const char *device,
                              uint64_t most_items, uint64_t local_bytes, uint64_t most_local_bytes);

/* The runner of all devices that have a driver. */
extern const program_runner kernel_runner;
#endif
