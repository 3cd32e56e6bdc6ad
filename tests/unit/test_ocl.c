/* test_ocl.c - the device "ocl" on the OpenCL in tests/support/fake_ocl.c, which the dynamic loader finds by its
 * name. */
#include "runtime/ocl_api.h"
#include "tests/support/add_two.h"
#include "tests/support/fake_ocl.h"

#ifdef HAS_OPENCL_HEADERS
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#endif
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void assert_nothing_held(const void *state) {
  const fake_ocl_state *driver = state;
  cr_assert_eq(driver->contexts, 0);
  cr_assert_eq(driver->queues, 0);
  cr_assert_eq(driver->programs, 0);
  cr_assert_eq(driver->kernels, 0);
  cr_assert_eq(driver->events, 0);
  cr_assert_eq(driver->common.blocks, 0);
}

/* Unseen is a fault in waiting before memory is taken back, which nobody asked for. */
static const add_two_device ocl = {.name = "ocl",
                                   .target = "spirv:generic",
                                   .library = "libOpenCL.so.1",
                                   .symbol = "fake_ocl",
                                   .state_size = sizeof(fake_ocl_state),
                                   .assert_nothing_held = assert_nothing_held,
                                   .fault = "OpenCL",
                                   .unseen = "clFinish"};

Test(ocl, kernels_run_in_order_with_their_geometry) {
  const fake_ocl_state *driver = add_two_runs(&ocl, (tec_context_options){0}, 10e-3);
  cr_assert(driver->items[0] == 96 && driver->items[1] == 1 && driver->items[2] == 1);
  cr_assert(driver->group[0] == 32 && driver->group[1] == 1 && driver->group[2] == 1);
}

Test(ocl, every_fault_is_one_error_and_no_leak) { add_two_faults(&ocl, 40); }

Test(ocl, programs_that_the_driver_refuses_are_explained) {
  size_t size;
  char *code = add_two_spirv(&size);
  uint32_t unknown = 1u << 16 | 9999;
  memcpy(code + size, &unknown, sizeof unknown);
  add_two_refused(&ocl, (tec_context_options){0}, &(add_two_kernel){.code = code, .size = size + 4},
                  "OpenCL cannot build the program for 'Fake' (-11):\ninstruction 9999 is unknown");
  free(code);
}

Test(ocl, what_the_device_lacks_is_refused) {
  static const struct {
    add_two_kernel kernel;
    const char *language;
    uint32_t device;
    const char *message;
  } cases[] = {{{.items = 512}, NULL, 0, "kernel 'add_one' needs work-groups of 512; 'Fake' has 256"},
               {{.name = "other"}, NULL, 0, "OpenCL cannot find a kernel: CL_INVALID_KERNEL_NAME (-46)"},
               {{0}, NULL, 3, "there is no OpenCL device 3 that takes SPIR-V and shares virtual memory; there are 1"},
               {{0}, "", 0, "there is no OpenCL device 0 that takes SPIR-V and shares virtual memory; there are 0"}};
  fake_ocl_state *driver = add_two_driver(&ocl);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    driver->language = cases[i].language;
    add_two_refused(&ocl, (tec_context_options){.device = cases[i].device}, &cases[i].kernel, cases[i].message);
  }
}

#ifdef HAS_OPENCL_HEADERS
#define SAME(OURS, THEIRS) cr_assert_eq((uint64_t)(OURS), (uint64_t)(THEIRS), #OURS)

Test(ocl, our_numbers_are_those_of_the_specification) {
#define OCL_RESULT(NAME, VALUE) SAME(VALUE, CL_##NAME);
  OCL_RESULTS(OCL_RESULT)
#undef OCL_RESULT
  SAME((uint32_t)OCL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_ALL);
  SAME(OCL_DEVICE_LOCAL_BYTES, CL_DEVICE_LOCAL_MEM_SIZE);
  SAME(OCL_DEVICE_NAME, CL_DEVICE_NAME);
  SAME(OCL_DEVICE_SVM, CL_DEVICE_SVM_CAPABILITIES);
  SAME(OCL_DEVICE_IL, CL_DEVICE_IL_VERSION);
  SAME(OCL_SVM_BUFFERS, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  SAME(OCL_QUEUE_PROPERTIES, CL_QUEUE_PROPERTIES);
  SAME(OCL_QUEUE_PROFILING, CL_QUEUE_PROFILING_ENABLE);
  SAME(OCL_BUILD_LOG, CL_PROGRAM_BUILD_LOG);
  SAME(OCL_KERNEL_MAX_GROUP, CL_KERNEL_WORK_GROUP_SIZE);
  SAME(OCL_KERNEL_LOCAL_BYTES, CL_KERNEL_LOCAL_MEM_SIZE);
  SAME(OCL_TIME_START, CL_PROFILING_COMMAND_START);
  SAME(OCL_TIME_END, CL_PROFILING_COMMAND_END);
  SAME(OCL_READ_WRITE, CL_MEM_READ_WRITE);
}
#endif
