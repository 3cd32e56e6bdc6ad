/* add_two.c - a program of two launches, and the tests with it that every device passes. */
#include "tests/support/add_two.h"
#include "runtime/program.h"
#include "runtime/runtime.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* add_one twice over a vector, by way of a workspace as large as the vector; 32 work-items a work-group. */
enum { NUMBER, ITEMS, ONE, GROUPS, FOUR, BYTES, ZERO, NUM_VALUES };

static const program_value add_values[NUM_VALUES] = {
    [NUMBER] = {.operation = PROGRAM_EXTENT, .constant = 0},
    [ITEMS] = {.operation = PROGRAM_CONSTANT, .constant = 32},
    [ONE] = {.operation = PROGRAM_CONSTANT, .constant = 1},
    [GROUPS] = {.operation = PROGRAM_CEILDIV, .operands = {NUMBER, ITEMS}},
    [FOUR] = {.operation = PROGRAM_CONSTANT, .constant = 4},
    [BYTES] = {.operation = PROGRAM_MUL, .operands = {NUMBER, FOUR}},
    [ZERO] = {.operation = PROGRAM_CONSTANT, .constant = 0},
};
static const program_argument first_arguments[] = {
    {PROGRAM_TENSOR, 0, ZERO}, {PROGRAM_WORKSPACE, 0, ZERO}, {PROGRAM_SIZE, 0, NUMBER}};
static const program_argument second_arguments[] = {
    {PROGRAM_WORKSPACE, 0, ZERO}, {PROGRAM_TENSOR, 1, ZERO}, {PROGRAM_SIZE, 0, NUMBER}};

char *add_two_spirv(size_t *size) {
  static const char path[] = MODULE_DIR "/add_one.spv";
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  char *code = malloc(1 << 16);
  *size = fread(code, 1, 1 << 16, file);
  fclose(file);
  return code;
}

void *add_two_driver(const add_two_device *device) {
  void *library = dlopen(device->library, RTLD_NOW | RTLD_LOCAL);
  cr_assert(library, "%s", dlerror());
  void *state = dlsym(library, device->symbol);
  cr_assert(state, "the driver found is not the test's");
  return state;
}

tec_program *add_two_program(tec_context *context, const add_two_device *device, const add_two_kernel *kernel) {
  char *module = NULL;
  const char *name = kernel->name ? kernel->name : "add_one", *code = kernel->code ? kernel->code : device->code;
  size_t size = kernel->size || !code ? kernel->size : strlen(code);
  if (!code)
    code = module = add_two_spirv(&size);
  uint32_t items = kernel->items ? kernel->items : 32;
  const program_launch launches[] = {
      {name, {GROUPS, ONE, ONE}, {items, 1, 1}, kernel->shared_bytes, 3, first_arguments},
      {name, {GROUPS, ONE, ONE}, {items, 1, 1}, kernel->shared_bytes, 3, second_arguments},
  };
  const uint32_t extents[] = {NUMBER};
  const program_routine routine = {NUM_VALUES, add_values, ZERO, 1, extents, BYTES, 2, launches};
  const int64_t shape[] = {-1};
  const tec_type type = {TEC_KIND_TENSOR, {kDLFloat, 32, 1}, 1, shape};
  const tec_entry entry = {"add_two", 1, 1, &type, &type, 0, NULL};
  tec_program *program;
  cr_assert_eq(program_create(context, device->target, 1, &entry, &routine, code, size, &program), TEC_OK);
  cr_assert_eq(tec_program_set_device(program, device->name), TEC_OK);
  free(module);
  return program;
}

tec_status add_two_call(tec_program *program, int64_t count, DLDevice place, DLManagedTensor **result) {
  static float data[100];
  for (int i = 0; i < 100; i++)
    data[i] = (float)i;
  DLTensor tensor = {.data = data, .device = place, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &count};
  const DLTensor *arguments[] = {&tensor};
  return tec_program_call(program, NULL, 1, arguments, 1, result);
}

void add_two_check(tec_program *program, int64_t count, const messages *kept, DLManagedTensor **result) {
  cr_assert_eq(add_two_call(program, count, (DLDevice){kDLCPU, 0}, result), TEC_OK, "%s", kept->last);
  for (int i = 0; i < count; i++)
    cr_assert_eq(((float *)(*result)->dl_tensor.data)[i], (float)i + 2);
}

const void *add_two_runs(const add_two_device *device, tec_context_options options, double seconds) {
  messages kept;
  const stand_in *driver = add_two_driver(device);
  tec_context *context = messages_context(&kept, options);
  tec_program *program = add_two_program(context, device, &(add_two_kernel){.shared_bytes = device->shared_bytes});
  DLManagedTensor *result = NULL, *empty = NULL;
  for (int round = 0; round < 2; round++) {
    add_two_check(program, 70, &kept, &result);
    cr_assert_float_eq(tec_program_device_seconds(program), seconds, 1e-9);
  }
  cr_assert_eq(driver->launches, 4);
  cr_assert_eq(driver->blocks, 3, "kept from call to call: argument, result, workspace");
  cr_assert_eq(tec_program_scratch_bytes(program), 280);
  add_two_check(program, 0, &kept, &empty);
  cr_assert_eq(driver->launches, 4, "nothing to launch for empty tensors");
  tec_tensor_release(empty);
  tec_tensor_release(result);
  tec_program_destroy(program);
  device->assert_nothing_held(driver);
  tec_context_destroy(context);
  return driver;
}

/* One round of add_two_faults. Returns whether there was such a call. */
static bool fault_is_one_error(const add_two_device *device, unsigned fault, messages *kept) {
  const DLDevice host = {kDLCPU, 0};
  stand_in *driver = add_two_driver(device);
  tec_context *context = messages_context(kept, (tec_context_options){0});
  tec_program *program = add_two_program(context, device, &(add_two_kernel){.shared_bytes = device->shared_bytes});
  memset(driver, 0, device->state_size);
  driver->fault = fault;
  DLManagedTensor *result = NULL, *shorter = NULL, *again = NULL;
  tec_status status = add_two_call(program, 70, host, &result);
  if (!status) {
    cr_assert_eq(((float *)result->dl_tensor.data)[69], 71);
    status = add_two_call(program, 33, host, &shorter);
  }
  if (!status)
    cr_assert_eq(((float *)shorter->dl_tensor.data)[32], 34);
  bool reached = driver->calls >= driver->fault;
  bool unseen = reached && !status && device->unseen && !strcmp(driver->failed, device->unseen);
  cr_assert_eq(status != TEC_OK, reached && !unseen, "a fault in %s", driver->failed);
  cr_assert_eq(kept->count, status != TEC_OK, "a fault in %s: %u messages, %s", driver->failed, kept->count,
               kept->last);
  if (status)
    cr_assert(strstr(kept->last, device->fault), "%s: %s", driver->failed, kept->last);
  /* What failed once works the next time. */
  driver->fault = 0;
  add_two_check(program, 70, kept, &again);
  tec_tensor_release(again);
  tec_tensor_release(shorter);
  tec_tensor_release(result);
  tec_program_destroy(program);
  device->assert_nothing_held(driver);
  tec_context_destroy(context);
  return reached;
}

void add_two_faults(const add_two_device *device, unsigned least) {
  messages kept;
  unsigned faults = 0;
  while (fault_is_one_error(device, faults + 1, &kept))
    faults++;
  cr_assert_gt(faults, least);
}

void add_two_refused(const add_two_device *device, tec_context_options options, const add_two_kernel *kernel,
                     const char *message) {
  messages kept;
  const void *driver = add_two_driver(device);
  tec_context *context = messages_context(&kept, options);
  tec_program *program = add_two_program(context, device, kernel);
  cr_assert_eq(add_two_call(program, 70, (DLDevice){kDLCPU, 0}, &(DLManagedTensor *){NULL}), TEC_INVALID);
  cr_assert_eq(kept.count, 1);
  cr_assert(strstr(kept.last, message), "%s", kept.last);
  tec_program_destroy(program);
  device->assert_nothing_held(driver);
  tec_context_destroy(context);
}
