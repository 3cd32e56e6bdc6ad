/* test_cuda.c - routines of GPU programs, and the CUDA device on the driver in support/fake_cuda.c, which the dynamic
 * loader finds in place of NVIDIA's. */
#include "runtime/routine.h"
#include "tests/support/add_two.h"
#include "tests/support/fake_cuda.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char code[] = ".version 8.7\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry add_one(.param .u64 from, .param .u64 to, .param .u64 count) {\n"
                           "  .reg .pred %p<2>;\n"
                           "  .reg .b32 %r<4>;\n"
                           "  .reg .f32 %f<3>;\n"
                           "  .reg .b64 %rd<8>;\n"
                           "  ld.param.u64 %rd1, [from];\n"
                           "  ld.param.u64 %rd2, [to];\n"
                           "  ld.param.u64 %rd3, [count];\n"
                           "  mov.u32 %r1, %ctaid.x;\n"
                           "  mov.u32 %r2, %tid.x;\n"
                           "  mad.lo.s32 %r3, %r1, 32, %r2;\n"
                           "  cvt.u64.u32 %rd4, %r3;\n"
                           "  setp.ge.u64 %p1, %rd4, %rd3;\n"
                           "  @%p1 bra DONE;\n"
                           "  shl.b64 %rd5, %rd4, 2;\n"
                           "  add.s64 %rd6, %rd1, %rd5;\n"
                           "  add.s64 %rd7, %rd2, %rd5;\n"
                           "  ld.global.f32 %f1, [%rd6];\n"
                           "  add.f32 %f2, %f1, 0f3F800000;\n"
                           "  st.global.f32 [%rd7], %f2;\n"
                           "DONE:\n"
                           "  ret;\n"
                           "}\n";

static void assert_nothing_held(const void *state) {
  const fake_cuda_state *driver = state;
  cr_assert_eq(driver->contexts, 0);
  cr_assert_eq(driver->current, 0);
  cr_assert_eq(driver->modules, 0);
  cr_assert_eq(driver->events, 0);
  cr_assert_eq(driver->common.blocks, 0);
}

static const add_two_device cuda = {.name = "cuda",
                                    .target = "nvptx:sm_80",
                                    .library = "libcuda.so.1",
                                    .symbol = "fake_cuda",
                                    .state_size = sizeof(fake_cuda_state),
                                    .shared_bytes = 64 * 1024,
                                    .assert_nothing_held = assert_nothing_held,
                                    .code = code,
                                    .fault = "CUDA_ERROR_UNKNOWN (999)"};

static const DLDevice host = {kDLCPU, 0};

Test(cuda, kernels_run_in_order_with_their_geometry) {
  int stream;
  const fake_cuda_state *driver = add_two_runs(&cuda, (tec_context_options){.stream = &stream}, 2.5e-3);
  cr_assert(driver->grid[0] == 3 && driver->grid[1] == 1 && driver->grid[2] == 1);
  cr_assert(driver->block[0] == 32 && driver->block[1] == 1 && driver->block[2] == 1);
  cr_assert_eq(driver->shared_bytes, 64 * 1024);
  cr_assert_eq(driver->shared_limit, 64 * 1024);
  cr_assert_eq(driver->stream, &stream);
}

Test(cuda, tensors_on_the_device_are_used_in_place) {
  messages kept;
  fake_cuda_state *driver = add_two_driver(&cuda);
  tec_context *context = messages_context(&kept, (tec_context_options){.asynchronous = true});
  tec_program *program = add_two_program(context, &cuda, &(add_two_kernel){0});
  float data[70];
  int64_t shape[] = {70};
  DLManagedTensor given = {
      {.data = data, .device = {kDLCUDA, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = shape}, NULL, NULL};
  DLManagedTensor *result = &given;
  cr_assert_eq(add_two_call(program, 70, (DLDevice){kDLCUDA, 0}, &result), TEC_OK, "%s", kept.last);
  cr_assert_eq(driver->values[1], (uintptr_t)data);
  cr_assert_eq(driver->common.blocks, 1, "the workspace only");
  cr_assert_eq(data[69], 71);
  cr_assert_eq(tec_program_device_seconds(program), 0, "nobody waited");
  cr_assert_eq(add_two_call(program, 70, (DLDevice){kDLCUDA, 1}, &result), TEC_INVALID);
  cr_assert(strstr(kept.last, "argument 0 is not in host memory"), "%s", kept.last);
  tec_program_destroy(program);
  assert_nothing_held(driver);
  tec_context_destroy(context);
}

Test(cuda, every_fault_is_one_error_and_no_leak) { add_two_faults(&cuda, 30); }

Test(cuda, code_that_the_driver_refuses_is_explained) {
  messages kept;
  fake_cuda_state *driver = add_two_driver(&cuda);
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  tec_program *program = add_two_program(context, &cuda, &(add_two_kernel){0});
  DLManagedTensor *result = NULL;
  for (unsigned fault = 1; !driver->common.failed || strcmp(driver->common.failed, "cuModuleLoadDataEx"); fault++) {
    *driver =
        (fake_cuda_state){.common.fault = fault, .result = 222, .jit_log = "ptxas fatal: Unsupported .version 8.7"};
    cr_assert_eq(add_two_call(program, 70, host, &result), TEC_INVALID);
  }
  cr_assert(strstr(kept.last,
                   "the driver (for CUDA 12.4) does not take the program (PTX 8.7 for sm_80) for 'Fake' (sm_87): "
                   "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"),
            "%s", kept.last);
  cr_assert(strstr(kept.last, "ptxas fatal: Unsupported .version 8.7"), "%s", kept.last);
  tec_program_destroy(program);
  assert_nothing_held(driver);
  tec_context_destroy(context);
}

Test(cuda, what_the_device_lacks_is_refused) {
  static const struct {
    add_two_kernel kernel;
    uint32_t device;
    const char *message;
  } cases[] = {{{.shared_bytes = 200 * 1024}, 0, "needs 204800 bytes of shared memory a block; 'Fake' has 102400"},
               {{.name = "other"}, 0, "CUDA cannot find a kernel"},
               {{0}, 3, "there is no CUDA device 3; there are 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    add_two_refused(&cuda, (tec_context_options){.device = cases[i].device}, &cases[i].kernel, cases[i].message);
}

/* What only sm_90 runs is for sm_90 alone, and for drivers that know it. */
Test(cuda, the_target_is_the_newest_that_the_chip_runs) {
  static const struct {
    int chip, version;
    const char *target;
  } rows[] = {{87, 12040, "nvptx:sm_86"},
              {90, 12000, "nvptx:sm_90a"},
              {90, 11080, "nvptx:sm_90"},
              {103, 13000, "nvptx:sm_100"}};
  messages kept;
  fake_cuda_state *driver = add_two_driver(&cuda);
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  char *target;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    driver->chip = rows[i].chip;
    driver->version = rows[i].version;
    cr_assert_eq(tec_device_target(context, "cuda", &target), TEC_OK, "%s", kept.last);
    cr_expect_str_eq(target, rows[i].target);
    tec_free(target);
  }
  cr_assert_eq(tec_device_target(context, "gpu", &target), TEC_INVALID);
  tec_context_destroy(context);
}

Test(ptx_emu, the_same_program_runs_on_the_emulator) {
  messages kept;
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  tec_program *program = add_two_program(context, &cuda, &(add_two_kernel){0});
  DLManagedTensor *result = NULL;
  cr_assert_eq(tec_program_set_device(program, "ptx-emu"), TEC_OK, "%s", kept.last);
  add_two_check(program, 70, &kept, &result);
  tec_tensor_release(result);
  result = NULL;
  cr_assert_eq(add_two_call(program, 70, (DLDevice){kDLCUDA, 0}, &result), TEC_INVALID, "its memory is the host's");
  cr_assert_eq(tec_program_set_device(program, "host"), TEC_INVALID);
  cr_assert(strstr(kept.last, "the device 'host' does not run programs for 'nvptx:sm_80'"), "%s", kept.last);
  tec_program_destroy(program);
  program = add_two_program(context, &cuda, &(add_two_kernel){.name = "other"});
  cr_assert_eq(tec_program_set_device(program, "ptx-emu"), TEC_OK);
  kept.count = 0;
  cr_assert_eq(add_two_call(program, 70, host, &result), TEC_INVALID);
  cr_assert_eq(kept.count, 1);
  cr_assert(strstr(kept.last, "'other'"), "%s", kept.last);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

/* -------------------------------------------------------------------------------------------------------- routines */

static int64_t evaluate(program_operation operation, int64_t a, int64_t b, int64_t c) {
  const program_value values[] = {
      {PROGRAM_EXTENT, 0, {0}}, {PROGRAM_EXTENT, 1, {0}}, {PROGRAM_EXTENT, 2, {0}}, {operation, 0, {0, 1, 2}}};
  const int64_t extents[] = {a, b, c};
  int64_t results[4];
  routine_evaluate(&(program_routine){.num_values = 4, .values = values}, extents, &extents[2], results);
  return results[3];
}

Test(routine, sizes_are_computed_or_undefined) {
  cr_assert_eq(evaluate(PROGRAM_ADD, 5, 7, 0), 12);
  cr_assert_eq(evaluate(PROGRAM_SUB, 5, 7, 0), -2);
  cr_assert_eq(evaluate(PROGRAM_MUL, 5, -7, 0), -35);
  cr_assert_eq(evaluate(PROGRAM_FLOORDIV, -7, 2, 0), -4);
  cr_assert_eq(evaluate(PROGRAM_FLOORDIV, 7, 2, 0), 3);
  cr_assert_eq(evaluate(PROGRAM_CEILDIV, -7, 2, 0), -3);
  cr_assert_eq(evaluate(PROGRAM_CEILDIV, 7, 2, 0), 4);
  cr_assert_eq(evaluate(PROGRAM_CEILDIV, INT64_MAX, 1, 0), INT64_MAX);
  cr_assert_eq(evaluate(PROGRAM_MOD, -7, 4, 0), 1);
  cr_assert_eq(evaluate(PROGRAM_MOD, INT64_MIN + 1, 10, 0), 3);
  cr_assert_eq(evaluate(PROGRAM_MIN, 3, 4, 0), 3);
  cr_assert_eq(evaluate(PROGRAM_MAX, 3, 4, 0), 4);
  cr_assert_eq(evaluate(PROGRAM_EQUAL, 3, 4, 0), 0);
  cr_assert_eq(evaluate(PROGRAM_LESS, 3, 4, 0), 1);
  cr_assert_eq(evaluate(PROGRAM_SELECT, 1, 4, PROGRAM_UNDEFINED), 4);
  cr_assert_eq(evaluate(PROGRAM_SELECT, 0, PROGRAM_UNDEFINED, 6), 6);
  cr_assert_eq(evaluate(PROGRAM_SELECT, PROGRAM_UNDEFINED, 4, 6), PROGRAM_UNDEFINED);
  cr_assert_eq(evaluate(PROGRAM_MUL, INT64_MAX, 2, 0), PROGRAM_UNDEFINED);
  cr_assert_eq(evaluate(PROGRAM_ADD, PROGRAM_UNDEFINED, 1, 0), PROGRAM_UNDEFINED);
  cr_assert_eq(evaluate(PROGRAM_FLOORDIV, 1, 0, 0), PROGRAM_UNDEFINED);
  cr_assert_eq(evaluate(PROGRAM_MOD, 1, -1, 0), PROGRAM_UNDEFINED);
}

/* The checksum of the file, for tests that damage what it covers. */
static void seal(char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 28; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  memcpy(bytes + 20, &hash, sizeof hash);
}

Test(routine, files_hold_them_and_damaged_ones_never_crash) {
  messages kept;
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  tec_program *program = add_two_program(context, &cuda, &(add_two_kernel){0}), *again;
  char *bytes;
  size_t size;
  cr_assert_eq(tec_program_write(program, &bytes, &size), TEC_OK);
  cr_assert_eq(tec_program_read(context, "file", bytes, size, &again), TEC_OK, "%s", kept.last);
  add_two_driver(&cuda);
  DLManagedTensor *result = NULL;
  add_two_check(again, 70, &kept, &result);
  tec_tensor_release(result);
  tec_program_destroy(again);
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = 28; i < size; i++)
    for (size_t k = 0; k < sizeof values; k++) {
      char *exact = malloc(size);
      memcpy(exact, bytes, size);
      exact[i] = (char)values[k];
      seal(exact, size);
      kept.count = 0;
      if (tec_program_read(context, "file", exact, size, &again) == TEC_OK)
        tec_program_destroy(again);
      else
        cr_assert_eq(kept.count, 1, "%s", kept.last);
      free(exact);
    }
  tec_free(bytes);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(routine, what_does_not_fit_its_entry_is_refused) {
  messages kept;
  tec_context *context = messages_context(&kept, (tec_context_options){0});
  const tec_entry entry = {"f", 0, 0, NULL, NULL, 0, NULL};
  const program_value one = {.operation = PROGRAM_CONSTANT, .constant = 1}, extent = {.operation = PROGRAM_EXTENT};
  const program_argument tensor = {PROGRAM_TENSOR, 0, 0}, unknown = {PROGRAM_SIZE, 0, 1};
  const program_launch launches[] = {{"k", {0, 0, 0}, {32, 1, 1}, 0, 1, &tensor},
                                     {"k", {0, 0, 0}, {32, 1, 1}, 0, 1, &unknown},
                                     {"k", {0, 0, 0}, {32, 0, 1}, 0, 0, NULL},
                                     {"k", {0, 0, 0}, {64, 32, 1}, 0, 0, NULL},
                                     {"k", {0, 1, 0}, {32, 1, 1}, 0, 0, NULL}};
  tec_program *program;
  for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
    kept.count = 0;
    const program_routine routine = {1, &one, 0, 0, NULL, 0, 1, &launches[i]};
    cr_assert_eq(program_create(context, "nvptx:sm_80", 1, &entry, &routine, code, 1, &program), TEC_INTERNAL);
    cr_assert_eq(kept.count, 1);
  }
  const program_routine routine = {1, &extent, 0, 0, NULL, 0, 0, NULL};
  cr_assert_eq(program_create(context, "nvptx:sm_80", 1, &entry, &routine, code, 1, &program), TEC_INTERNAL);
  tec_context_destroy(context);
}
