/* test_ze.c - the device "ze" on the driver in tests/level_zero, which the dynamic loader finds in place of Level
 * Zero's. */
#include "runtime/runtime.h"
#include "runtime/ze_api.h"
#include "tests/level_zero/level_zero.h"
#include "tests/support/add_two.h"

#include <criterion/criterion.h>
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_nothing_held(const void *state) {
  const level_zero_state *driver = state;
  cr_assert_eq(driver->contexts, 0);
  cr_assert_eq(driver->lists, 0);
  cr_assert_eq(driver->pools, 0);
  cr_assert_eq(driver->events, 0);
  cr_assert_eq(driver->modules, 0);
  cr_assert_eq(driver->logs, 0);
  cr_assert_eq(driver->kernels, 0);
  cr_assert_eq(driver->common.blocks, 0);
}

static const add_two_device ze = {.name = "ze",
                                  .target = "spirv:generic",
                                  .library = "libze_loader.so.1",
                                  .symbol = "level_zero_test",
                                  .state_size = sizeof(level_zero_state),
                                  .assert_nothing_held = assert_nothing_held,
                                  .fault = "(0x7ffffffe)"};

Test(ze, kernels_run_in_order_with_their_geometry) {
  /* The driver's clock wraps around in the first call. */
  const level_zero_state *driver = add_two_runs(&ze, (tec_context_options){0}, 5e-3);
  cr_assert(driver->groups[0] == 3 && driver->groups[1] == 1 && driver->groups[2] == 1);
  cr_assert(driver->group_size[0] == 32 && driver->group_size[1] == 1 && driver->group_size[2] == 1);
}

Test(ze, chips_with_a_matrix_unit_run_kernels_with_the_large_register_file) {
  static const struct {
    const char *chip, *flags;
  } rows[] = {{"generic", ""}, {"dg2", "-ze-opt-large-register-file"}, {"pvc", "-ze-opt-large-register-file"}};
  messages kept;
  level_zero_state *driver = add_two_driver(&ze);
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    driver->chip = rows[i].chip;
    tec_program *program = add_two_program(context, &ze, &(add_two_kernel){0});
    DLManagedTensor *result = NULL;
    add_two_check(program, 70, &kept, &result);
    cr_assert_str_eq(driver->build_flags, rows[i].flags);
    tec_tensor_release(result);
    tec_program_destroy(program);
  }
  tec_context_destroy(context);
}

Test(ze, every_fault_is_one_error_and_no_leak) { add_two_faults(&ze, 50); }

Test(ze, programs_that_the_driver_refuses_are_explained) {
  size_t size;
  char *code = add_two_spirv(&size);
  uint32_t unknown = 1u << 16 | 9999, newer = 0x00010600;
  memcpy(code + size, &unknown, sizeof unknown);
  add_two_refused(&ze, (tec_context_options){0}, &(add_two_kernel){.code = code, .size = size + 4},
                  "cannot build the program for 'Test generic' (0x70000004):\ninstruction 9999 is unknown");
  memcpy(code + 4, &newer, sizeof newer);
  add_two_refused(&ze, (tec_context_options){0}, &(add_two_kernel){.code = code, .size = size},
                  "the program is SPIR-V 1.6; the driver of 'Test generic' takes 1.4");
  free(code);
}

Test(ze, what_the_device_lacks_is_refused) {
  static const struct {
    add_two_kernel kernel;
    uint32_t device;
    const char *message;
  } cases[] = {
      {{.items = 1024}, 0, "cannot set the size of work-groups: ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION"},
      {{.name = "other"}, 0, "Level Zero cannot find a kernel: ZE_RESULT_ERROR_INVALID_KERNEL_NAME (0x78000011)"},
      {{0}, 3, "there is no Level Zero GPU 3; there are 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    add_two_refused(&ze, (tec_context_options){.device = cases[i].device}, &cases[i].kernel, cases[i].message);
}

Test(ze, the_target_is_the_chip) {
  static const char *const chips[] = {"generic", "dg2", "pvc", "bmg"};
  messages kept;
  level_zero_state *driver = add_two_driver(&ze);
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
    char *target;
    driver->chip = chips[i];
    cr_assert_eq(tec_device_target(context, "ze", &target), TEC_OK, "%s", kept.last);
    cr_assert(!strncmp(target, "spirv:", 6) && !strcmp(target + 6, chips[i]), "%s", target);
    tec_free(target);
  }
  tec_context_destroy(context);
}

/* ------------------------------------------------------------------------------- our declarations and the real ones */

#define SAME_SIZE(OURS, THEIRS) _Static_assert(sizeof(OURS) == sizeof(THEIRS), #OURS)
#define SAME_PLACE(OURS, FIELD, THEIRS, MEMBER)                                                                        \
  _Static_assert(offsetof(OURS, FIELD) == offsetof(THEIRS, MEMBER) &&                                                  \
                     sizeof(((OURS *)0)->FIELD) == sizeof(((THEIRS *)0)->MEMBER),                                      \
                 #OURS "." #FIELD)
SAME_SIZE(ze_device_properties, ze_device_properties_t);
SAME_PLACE(ze_device_properties, kind, ze_device_properties_t, type);
SAME_PLACE(ze_device_properties, vendor, ze_device_properties_t, vendorId);
SAME_PLACE(ze_device_properties, id, ze_device_properties_t, deviceId);
SAME_PLACE(ze_device_properties, timer_resolution, ze_device_properties_t, timerResolution);
SAME_PLACE(ze_device_properties, kernel_timestamp_bits, ze_device_properties_t, kernelTimestampValidBits);
SAME_PLACE(ze_device_properties, name, ze_device_properties_t, name);
SAME_SIZE(ze_compute_properties, ze_device_compute_properties_t);
SAME_PLACE(ze_compute_properties, max_group, ze_device_compute_properties_t, maxTotalGroupSize);
SAME_PLACE(ze_compute_properties, max_local_bytes, ze_device_compute_properties_t, maxSharedLocalMemory);
SAME_SIZE(ze_module_properties, ze_device_module_properties_t);
SAME_PLACE(ze_module_properties, spirv_version, ze_device_module_properties_t, spirvVersionSupported);
SAME_SIZE(ze_queue_group_properties, ze_command_queue_group_properties_t);
SAME_PLACE(ze_queue_group_properties, flags, ze_command_queue_group_properties_t, flags);
SAME_SIZE(ze_context_description, ze_context_desc_t);
SAME_SIZE(ze_queue_description, ze_command_queue_desc_t);
SAME_PLACE(ze_queue_description, ordinal, ze_command_queue_desc_t, ordinal);
SAME_PLACE(ze_queue_description, mode, ze_command_queue_desc_t, mode);
SAME_SIZE(ze_pool_description, ze_event_pool_desc_t);
SAME_PLACE(ze_pool_description, flags, ze_event_pool_desc_t, flags);
SAME_PLACE(ze_pool_description, count, ze_event_pool_desc_t, count);
SAME_SIZE(ze_event_description, ze_event_desc_t);
SAME_PLACE(ze_event_description, index, ze_event_desc_t, index);
SAME_PLACE(ze_event_description, signal, ze_event_desc_t, signal);
SAME_PLACE(ze_event_description, wait, ze_event_desc_t, wait);
SAME_SIZE(ze_timestamps, ze_kernel_timestamp_result_t);
SAME_PLACE(ze_timestamps, global_end, ze_kernel_timestamp_result_t, global.kernelEnd);
SAME_SIZE(ze_allocation_description, ze_device_mem_alloc_desc_t);
SAME_SIZE(ze_module_description, ze_module_desc_t);
SAME_PLACE(ze_module_description, format, ze_module_desc_t, format);
SAME_PLACE(ze_module_description, size, ze_module_desc_t, inputSize);
SAME_PLACE(ze_module_description, code, ze_module_desc_t, pInputModule);
SAME_PLACE(ze_module_description, flags, ze_module_desc_t, pBuildFlags);
SAME_SIZE(ze_kernel_description, ze_kernel_desc_t);
SAME_PLACE(ze_kernel_description, name, ze_kernel_desc_t, pKernelName);
SAME_SIZE(ze_kernel_properties, ze_kernel_properties_t);
SAME_PLACE(ze_kernel_properties, local_bytes, ze_kernel_properties_t, localMemSize);
SAME_PLACE(ze_kernel_properties, spilled_bytes, ze_kernel_properties_t, spillMemSize);
_Static_assert(sizeof(ze_group_count_t) == 3 * sizeof(uint32_t), "group counts are three numbers");

#define SAME(OURS, THEIRS) cr_assert_eq((uint64_t)(OURS), (uint64_t)(THEIRS), #OURS)

Test(ze, our_numbers_are_those_of_the_specification) {
#define ZE_RESULT(NAME, VALUE) SAME(VALUE, ZE_RESULT_##NAME);
  ZE_RESULTS(ZE_RESULT)
#undef ZE_RESULT
  SAME(ZE_COMPUTE_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
  SAME(ZE_MODULE_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
  SAME(ZE_QUEUE_GROUP_PROPERTIES, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
  SAME(ZE_CONTEXT, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
  SAME(ZE_QUEUE, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
  SAME(ZE_POOL, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
  SAME(ZE_EVENT, ZE_STRUCTURE_TYPE_EVENT_DESC);
  SAME(ZE_ALLOCATION, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
  SAME(ZE_MODULE, ZE_STRUCTURE_TYPE_MODULE_DESC);
  SAME(ZE_KERNEL, ZE_STRUCTURE_TYPE_KERNEL_DESC);
  SAME(ZE_KERNEL_PROPERTIES, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
  SAME(ZE_DEVICE_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
  SAME(ZE_INIT_GPU_ONLY, ZE_INIT_FLAG_GPU_ONLY);
  SAME(ZE_DEVICE_GPU, ZE_DEVICE_TYPE_GPU);
  SAME(ZE_QUEUE_COMPUTES, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
  SAME(ZE_QUEUE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  SAME(ZE_POOL_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
  SAME(ZE_POOL_TIMESTAMPS, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
  SAME(ZE_SCOPE_HOST, ZE_EVENT_SCOPE_FLAG_HOST);
  SAME(ZE_FORMAT_SPIRV, ZE_MODULE_FORMAT_IL_SPIRV);
  SAME(ZE_FORMAT_NATIVE, ZE_MODULE_FORMAT_NATIVE);
}
