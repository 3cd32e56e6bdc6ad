/* test_ocl.c - the device "ocl" on the OpenCL in tests/support/fake_ocl.c, which the dynamic loader finds by its
 * name. */
#include "runtime/ocl_api.h"
#include "runtime/runtime.h"
#include "tests/support/add_two.h"
#include "tests/support/fake_ocl.h"
#include "tests/support/messages.h"

#ifdef HAS_OPENCL_HEADERS
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#endif
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The state of the fake; the library stays loaded. */
static fake_ocl_state *fake(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  cr_assert(library, "%s", dlerror());
  fake_ocl_state *state = dlsym(library, "fake_ocl");
  cr_assert(state, "the OpenCL found is not the test's");
  return state;
}

static void assert_nothing_held(const fake_ocl_state *driver) {
  cr_assert_eq(driver->contexts, 0);
  cr_assert_eq(driver->queues, 0);
  cr_assert_eq(driver->programs, 0);
  cr_assert_eq(driver->kernels, 0);
  cr_assert_eq(driver->events, 0);
  cr_assert_eq(driver->blocks, 0);
}

Test(ocl, kernels_run_in_order_with_their_geometry) {
  messages kept;
  fake_ocl_state *driver = fake();
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  tec_program *program = add_two_program(context, "ocl", "add_one", 32);
  DLManagedTensor *result = NULL;
  for (int round = 0; round < 2; round++) {
    cr_assert_eq(add_two_call(program, 70, &result), TEC_OK, "%s", kept.last);
    for (int i = 0; i < 70; i++)
      cr_assert_eq(((float *)result->dl_tensor.data)[i], (float)i + 2);
    cr_assert_float_eq(tec_program_device_seconds(program), 10e-3, 1e-9);
  }
  tec_tensor_release(result);
  cr_assert_eq(driver->launches, 4);
  cr_assert_eq(driver->blocks, 3, "kept from call to call: argument, result, workspace");
  cr_assert(driver->items[0] == 96 && driver->items[1] == 1 && driver->items[2] == 1);
  cr_assert(driver->group[0] == 32 && driver->group[1] == 1 && driver->group[2] == 1);
  tec_program_destroy(program);
  assert_nothing_held(driver);
  tec_context_destroy(context);
}

/* A fault at the first call of OpenCL, at the second, and so on through loading and two calls. Unseen is only
 * one in waiting before memory is taken back, which nobody asked for. */
Test(ocl, every_fault_is_one_error_and_no_leak) {
  messages kept;
  fake_ocl_state *driver = fake();
  unsigned faults = 0, errors = 0;
  for (bool reached = true; reached; faults++) {
    tec_context *context = messages_context(&kept, (tec_context_options){0});
    tec_program *program = add_two_program(context, "ocl", "add_one", 32);
    *driver = (fake_ocl_state){.fault = faults + 1};
    DLManagedTensor *result = NULL, *shorter = NULL;
    tec_status status = add_two_call(program, 70, &result);
    if (!status) {
      cr_assert_eq(((float *)result->dl_tensor.data)[69], 71);
      status = add_two_call(program, 33, &shorter);
    }
    if (!status)
      cr_assert_eq(((float *)shorter->dl_tensor.data)[32], 34);
    tec_tensor_release(shorter);
    reached = driver->calls >= driver->fault;
    errors += status != TEC_OK;
    cr_assert_eq(kept.count, status != TEC_OK, "a fault in %s: %u messages, %s", driver->failed, kept.count, kept.last);
    if (!reached)
      cr_assert_eq(status, TEC_OK);
    else if (!status)
      cr_assert_str_eq(driver->failed, "clFinish");
    /* What failed once works the next time. */
    driver->fault = 0;
    DLManagedTensor *again = NULL;
    cr_assert_eq(add_two_call(program, 70, &again), TEC_OK, "after a fault in %s: %s", driver->failed, kept.last);
    cr_assert_eq(((float *)again->dl_tensor.data)[69], 71);
    tec_tensor_release(again);
    tec_tensor_release(result);
    tec_program_destroy(program);
    assert_nothing_held(driver);
    tec_context_destroy(context);
  }
  cr_assert_gt(errors, 40);
}

Test(ocl, programs_that_the_driver_refuses_are_explained) {
  messages kept;
  fake_ocl_state *driver = fake();
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  size_t size;
  char *code = add_two_code(&size);
  uint32_t unknown = 1u << 16 | 9999;
  memcpy(code + size, &unknown, sizeof unknown);
  tec_program *program = add_two_of(context, "ocl", "add_one", 32, code, size + 4);
  cr_assert_eq(add_two_call(program, 70, &(DLManagedTensor *){NULL}), TEC_INVALID);
  cr_assert_eq(kept.count, 1);
  cr_assert(strstr(kept.last, "OpenCL cannot build the program for 'Fake' (-11):\ninstruction 9999 is unknown"), "%s",
            kept.last);
  tec_program_destroy(program);
  free(code);
  assert_nothing_held(driver);
  tec_context_destroy(context);
}

Test(ocl, what_the_device_lacks_is_refused) {
  static const struct {
    const char *kernel, *language;
    uint32_t items, device;
    const char *message;
  } cases[] = {
      {"add_one", NULL, 512, 0, "kernel 'add_one' needs work-groups of 512; 'Fake' has 256"},
      {"other", NULL, 32, 0, "OpenCL cannot find a kernel: CL_INVALID_KERNEL_NAME (-46)"},
      {"add_one", NULL, 32, 3, "there is no OpenCL device 3 that takes SPIR-V and shares virtual memory; there are 1"},
      {"add_one", "", 32, 0, "there is no OpenCL device 0 that takes SPIR-V and shares virtual memory; there are 0"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    messages kept;
    fake_ocl_state *driver = fake();
    driver->language = cases[i].language;
    tec_context *context = messages_context(&kept, (tec_context_options){.device = cases[i].device});
    tec_program *program = add_two_program(context, "ocl", cases[i].kernel, cases[i].items);
    cr_assert_eq(add_two_call(program, 70, &(DLManagedTensor *){NULL}), TEC_INVALID);
    cr_assert_eq(kept.count, 1);
    cr_assert(strstr(kept.last, cases[i].message), "%s", kept.last);
    tec_program_destroy(program);
    assert_nothing_held(driver);
    tec_context_destroy(context);
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
