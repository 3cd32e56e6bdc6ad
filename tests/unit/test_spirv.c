/* test_spirv.c - the executor of SPIR-V in tests/level_zero: what it computes, and what it finds suspicious. */
#include "runtime/tec.h"
#include "tests/level_zero/spirv.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const spirv_chip chip = {16, 16, true, 64 * 1024};

/* An assembled module; the caller frees it. */
static spirv_module *load(const char *name, const spirv_chip *on, spirv_message *message) {
  char path[4096], code[1 << 14];
  snprintf(path, sizeof path, "%s/%s.spv", MODULE_DIR, name);
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  size_t size = fread(code, 1, sizeof code, file);
  fclose(file);
  return spirv_load(code, size, on, message);
}

static const spirv_kernel *find(const spirv_module *module, const char *name) {
  const spirv_kernel *kernel;
  for (unsigned i = 0; (kernel = spirv_kernel_at(module, i)); i++)
    if (!strcmp(kernel->name, name))
      return kernel;
  return NULL;
}

/* Runs a kernel on 32 numbers. */
static bool run_check(const char *name, uint32_t *numbers, spirv_message *message) {
  spirv_module *module = load("checks", &chip, message);
  cr_assert(module, "%s", message->text);
  const spirv_buffer buffer = {numbers, 32 * sizeof *numbers};
  const void *arguments[] = {&numbers};
  const spirv_launch launch = {.kernel = find(module, name),
                               .groups = {2, 1, 1},
                               .local_size = {32, 1, 1},
                               .arguments = arguments,
                               .buffers = &buffer,
                               .num_buffers = 1,
                               .budget = 10000};
  bool good = spirv_run(module, &launch, message);
  spirv_free(module);
  return good;
}

Test(spirv, subgroups_exchange_by_local_memory_and_sums) {
  spirv_message message;
  uint32_t numbers[32];
  cr_assert(run_check("good", numbers, &message), "%s", message.text);
  for (unsigned i = 0; i < 32; i++)
    cr_assert_eq(numbers[i], 16 * 16 * (i / 16) + 120);
}

Test(spirv, kernels_have_the_local_memory_that_they_use) {
  spirv_message message;
  spirv_module *module = load("checks", &chip, &message);
  cr_assert(module, "%s", message.text);
  cr_assert_eq(find(module, "outside")->local_bytes, 0);
  cr_assert_gt(find(module, "good")->local_bytes, 0);
  spirv_free(module);
}

Test(spirv, what_no_device_may_be_asked_for_is_found) {
  static const struct {
    const char *kernel, *message;
  } cases[] = {
      {"outside", "OpLoad (%value): accesses 4 bytes at byte 128 of an allocation of 128, in work-item 31 of "
                  "work-group (0, 0, 0)"},
      {"misaligned", "not aligned to 4 bytes"},
      {"unwritten", "reads local memory at 4 that nobody wrote"},
      {"race", "reads local memory at 4, which work-item 1 writes with no barrier between, in work-item 0"},
      {"some", "OpGroupIAdd (%sum): only 15 of 16 work-items of the sub-group come here"},
      {"halves", "OpControlBarrier: only 1 of 2 sub-groups of the work-group come here"},
      {"divide", "division by zero, in work-item 0"},
      {"forever", "the launch does not end"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    spirv_message message = {""};
    uint32_t numbers[32] = {0};
    cr_assert_not(run_check(cases[i].kernel, numbers, &message), "%s", cases[i].kernel);
    cr_assert(strstr(message.text, cases[i].message), "%s: %s", cases[i].kernel, message.text);
  }
}

Test(spirv, arithmetic_is_that_of_c) {
  spirv_message message;
  spirv_module *module = load("arithmetic", &chip, &message);
  cr_assert(module, "%s", message.text);
  float numbers[16];
  uint32_t results[80];
  for (int i = 0; i < 16; i++)
    numbers[i] = (float)(i - 4) * 1.3F;
  const float *from = numbers;
  const uint32_t *to = results;
  const void *arguments[] = {&from, &to};
  const spirv_buffer buffers[] = {{numbers, sizeof numbers}, {results, sizeof results}};
  const spirv_launch launch = {spirv_kernel_at(module, 0), {1, 1, 1}, {16, 1, 1}, arguments, buffers, 2, 0};
  cr_assert(spirv_run(module, &launch, &message), "%s", message.text);
  for (int i = 0; i < 16; i++) {
    float product = fmaf(numbers[i], numbers[i], 2), given, narrow;
    memcpy(&given, &results[i], sizeof given);
    memcpy(&narrow, &results[16 + i], sizeof narrow);
    cr_assert_eq(given, product);
    cr_assert_leq(fabsf(narrow - numbers[i]), fabsf(numbers[i]) / 2048);
    int32_t number = (int32_t)numbers[i], chosen = -number < 0 ? -number >> 3 : number;
    cr_assert_eq((int32_t)results[32 + i], chosen);
    cr_assert_eq(results[48 + i], (uint32_t)number >> 16 | (uint32_t)number << 16);
    cr_assert_eq(results[64 + i], 3 * (unsigned)i);
  }
  spirv_free(module);
}

/* A small number as f16: a quarter of an integer up to 16. */
static uint16_t half_of(int quarters) {
  int magnitude = abs(quarters), exponent = 0;
  if (!quarters)
    return 0;
  while (magnitude >> (exponent + 1))
    exponent++;
  int fraction = (magnitude << 10 >> exponent) & 0x3ff;
  return (uint16_t)((quarters < 0) << 15 | (exponent - 2 + 15) << 10 | fraction);
}

Test(spirv, matrix_units_multiply_blocks) {
  spirv_message message;
  spirv_module *module = load("matrix", &chip, &message);
  cr_assert(module, "%s", message.text);
  _Alignas(64) uint16_t a[16][32], b[16][32];
  _Alignas(64) float c[16][16];
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 32; k++) {
      a[i][k] = half_of((3 * i + 5 * k) % 11 - 5);
      b[i][k] = half_of((7 * i + 2 * k) % 13 - 6);
    }
  for (int i = 0; i < 16; i++)
    for (int n = 0; n < 16; n++)
      c[i][n] = -1;
  const void *pointers[] = {a, b, c};
  uint32_t x = 20; /* of the first column of A: four more are zeros, behind its end */
  const void *arguments[] = {&pointers[0], &pointers[1], &pointers[2], &x};
  const spirv_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  spirv_launch launch = {spirv_kernel_at(module, 0), {1, 1, 1}, {16, 1, 1}, arguments, buffers, 3, 0};
  cr_assert(spirv_run(module, &launch, &message), "%s", message.text);
  for (int m = 0; m < 16; m++)
    for (int n = 0; n < 16; n++) {
      int sum = 0;
      for (int k = 0; k < 12; k++)
        sum += ((3 * m + 5 * (20 + k)) % 11 - 5) * ((7 * k + 2 * n) % 13 - 6);
      cr_assert_float_eq(c[m][n], m < 5 ? (float)sum / 16 : -1, 0, "row %d, column %d: %g", m, n, (double)c[m][n]);
    }
  /* Blocks start at multiples of four bytes. */
  x = 1;
  cr_assert_not(spirv_run(module, &launch, &message));
  cr_assert(strstr(message.text, "x is not a multiple of 4 bytes"), "%s", message.text);
  spirv_free(module);
}

Test(spirv, modules_with_what_the_chip_lacks_are_refused) {
  static const spirv_chip plain = {16, 0, false, 64 * 1024}, narrow = {16, 8, true, 64 * 1024};
  spirv_message message;
  cr_assert_null(load("matrix", &plain, &message));
  cr_assert(
      strstr(message.text, "the imported function '__builtin_IB_subgroup_block_read_flat_u16_m8k16v1' is unknown here"),
      "%s", message.text);
  cr_assert_null(load("matrix", &narrow, &message));
}

/* Modules that end early, or with any one word changed: they are refused or run, but nothing else happens. */
Test(spirv, damaged_modules_do_no_harm) {
  char path[4096];
  snprintf(path, sizeof path, "%s/checks.spv", MODULE_DIR);
  FILE *file = fopen(path, "rb");
  cr_assert(file);
  uint32_t words[4096];
  size_t size = fread(words, sizeof *words, 4096, file);
  fclose(file);
  unsigned refused = 0;
  for (size_t i = 0; i < 3 * size; i++) {
    static const uint32_t changes[] = {0, 1, UINT32_MAX};
    uint32_t *copy = malloc(size * sizeof *copy);
    memcpy(copy, words, size * sizeof *copy);
    copy[i / 3] ^= changes[i % 3];
    spirv_message message;
    /* The first change of each is none; the module ends there instead. */
    spirv_module *module = spirv_load(copy, (i % 3 ? size : i / 3) * sizeof *copy, &chip, &message);
    refused += !module;
    spirv_free(module);
    free(copy);
  }
  cr_assert_gt(refused, size);
}

/* ---------------------------------------------------------------------------------------- many modules, one process */

static uint64_t checksum(const char *bytes, size_t size) {
  uint64_t sum = 1;
  for (size_t i = 0; i < size; i++)
    sum = sum * 31 + (unsigned char)bytes[i];
  return sum;
}

/* Modules of different sizes in turn, which are the same words each time; NULL, or what was wrong. LLVM keeps ids from
 * module to module: see spirv_write.c. */
static void *write_many(void *unused) {
  static const int extents[] = {1, 40, 7, 200};
  uint64_t sums[16] = {0};
  tec_context *context;
  if (tec_context_create(NULL, &context))
    return "context";
  for (unsigned i = 0; i < 32; i++) {
    char text[600];
    int rows = extents[i % 4], columns = extents[i / 4 % 4];
    int size = snprintf(text, sizeof text,
                        "func.func @sum(%%a: tensor<%dx%dxf32>) -> tensor<%dxf32> {\n"
                        "  %%zero = arith.constant 0.0 : f32\n"
                        "  %%e = tensor.empty() : tensor<%dxf32>\n"
                        "  %%z = linalg.fill ins(%%zero : f32) outs(%%e : tensor<%dxf32>) -> tensor<%dxf32>\n"
                        "  %%r = linalg.reduce { arith.addf } ins(%%a : tensor<%dx%dxf32>) outs(%%z : tensor<%dxf32>)\n"
                        "      dimensions = [1]\n"
                        "  return %%r : tensor<%dxf32>\n"
                        "}\n",
                        rows, columns, rows, rows, rows, rows, rows, columns, rows, rows);
    tec_module *module;
    tec_program *program;
    const tec_compile_options options = {sizeof options, .target = "spirv:generic"};
    if (tec_module_parse(context, "text", text, (size_t)size, &module))
      return "parse";
    if (tec_module_compile(module, &options, &program))
      return "compile";
    const char *code;
    size_t code_size;
    spirv_message message;
    tec_program_code(program, &code, &code_size);
    spirv_module *loaded = spirv_load(code, code_size, &chip, &message);
    if (!loaded)
      return "load";
    spirv_free(loaded);
    uint64_t sum = checksum(code, code_size), *first = &sums[i % 16];
    if (*first && *first != sum)
      return "other words";
    *first = sum;
    tec_program_destroy(program);
    tec_module_destroy(module);
  }
  tec_context_destroy(context);
  return NULL;
}

Test(spirv, modules_of_one_process_do_not_mix) {
  pthread_t threads[4];
  for (unsigned i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, write_many, NULL), 0);
  for (unsigned i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    cr_assert_null(wrong, "%s", (const char *)wrong);
  }
}
