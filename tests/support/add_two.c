/* add_two.c - a SPIR-V program for the tests of devices: its kernel, launched twice over a vector, adds 1. */
#include "tests/support/add_two.h"
#include "runtime/program.h"
#include "runtime/runtime.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

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

char *add_two_code(size_t *size) {
  static const char path[] = MODULE_DIR "/add_one.spv";
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  char *code = malloc(1 << 16);
  *size = fread(code, 1, 1 << 16, file);
  fclose(file);
  return code;
}

tec_program *add_two_of(tec_context *context, const char *device, const char *kernel, uint32_t items, const char *code,
                        size_t size) {
  const program_launch launches[] = {
      {kernel, {GROUPS, ONE, ONE}, {items, 1, 1}, 0, 3, first_arguments},
      {kernel, {GROUPS, ONE, ONE}, {items, 1, 1}, 0, 3, second_arguments},
  };
  const uint32_t extents[] = {NUMBER};
  const program_routine routine = {NUM_VALUES, add_values, ONE, 1, extents, BYTES, 2, launches};
  const int64_t shape[] = {-1};
  const tec_type type = {TEC_KIND_TENSOR, {kDLFloat, 32, 1}, 1, shape};
  const tec_entry entry = {"add_two", 1, 1, &type, &type, 0, NULL};
  tec_program *program;
  cr_assert_eq(program_create(context, "spirv:generic", 1, &entry, &routine, code, size, &program), TEC_OK);
  cr_assert_eq(tec_program_set_device(program, device), TEC_OK);
  return program;
}

tec_program *add_two_program(tec_context *context, const char *device, const char *kernel, uint32_t items) {
  size_t size;
  char *code = add_two_code(&size);
  tec_program *program = add_two_of(context, device, kernel, items, code, size);
  free(code);
  return program;
}

tec_status add_two_call(tec_program *program, int64_t count, DLManagedTensor **result) {
  static float data[100];
  for (int i = 0; i < 100; i++)
    data[i] = (float)i;
  DLTensor tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &count};
  const DLTensor *arguments[] = {&tensor};
  return tec_program_call(program, NULL, 1, arguments, 1, result);
}
