/* test_api.c - the public interface as a program sees it: messages, options, one context a thread. */
#include "runtime/tec.h"
#include "tests/support/messages.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static tec_context *new_context(messages *kept, uint32_t threads) {
  return messages_context(kept, (tec_context_options){.threads = threads});
}

/* result[i, j] = sum over k of a[i, k] b[k, j], 40 x 24 x 56. */
static const char product[] =
    "func.func @product(%a: tensor<40x56xf32>, %b: tensor<56x24xf32>) -> tensor<40x24xf32> {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %e = tensor.empty() : tensor<40x24xf32>\n"
    "  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>\n"
    "  %r = linalg.matmul ins(%a, %b : tensor<40x56xf32>, tensor<56x24xf32>) outs(%z : tensor<40x24xf32>)\n"
    "      -> tensor<40x24xf32>\n"
    "  return %r : tensor<40x24xf32>\n"
    "}\n";

static tec_status compile(tec_context *context, const char *text, tec_program **program) {
  tec_module *module;
  tec_status status = tec_module_parse(context, "text", text, strlen(text), &module);
  if (status)
    return status;
  status = tec_module_compile(module, NULL, program);
  tec_module_destroy(module);
  return status;
}

Test(api, a_parse_error_points_at_its_place) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  static const char text[] = "func.func @f(%x: f32) -> f32 {\n  %y = arith.addf %x, %z : f32\n  return %y : f32\n}\n";
  tec_module *module = NULL;
  cr_assert_eq(tec_module_parse(context, "model.mlir", text, strlen(text), &module), TEC_INVALID);
  cr_assert_null(module);
  cr_assert_eq(kept.count, 1);
  cr_assert(strstr(kept.last, "model.mlir:2:23: error: "), "%s", kept.last);
  cr_assert(strstr(kept.last, "\n  %y = arith.addf %x, %z : f32\n                      ^"), "%s", kept.last);
  tec_context_destroy(context);
}

Test(api, options_of_other_sizes_are_understood) {
  tec_context *context = NULL;
  tec_context_options wrong = {0}, shorter = {.size = offsetof(tec_context_options, threads), .threads = 77};
  cr_assert_eq(tec_context_create(&wrong, &context), TEC_INVALID);
  cr_assert_null(context);
  cr_assert_eq(tec_context_create(&shorter, &context), TEC_OK);
  tec_context_destroy(context);
  cr_assert_eq(tec_context_create(NULL, &context), TEC_OK);
  tec_context_destroy(context);
}

Test(api, fields_behind_the_end_of_an_older_struct_are_not_read) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  tec_compile_options older = {.size = offsetof(tec_compile_options, target), .target = "no such target"},
                      newer = older;
  newer.size = sizeof newer;
  tec_module *module;
  char *text = NULL;
  cr_assert_eq(tec_module_parse(context, "text", product, strlen(product), &module), TEC_OK);
  cr_assert_eq(tec_module_emit(module, TEC_OUTPUT_MLIR, &newer, &text, NULL), TEC_INVALID);
  cr_assert_eq(tec_module_emit(module, (tec_output)3, &older, &text, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "there is no tec_output 3"), "%s", kept.last);
  cr_assert_eq(tec_module_emit(module, TEC_OUTPUT_MLIR, &older, &text, NULL), TEC_OK, "%s", kept.last);
  tec_free(text);
  tec_module_destroy(module);
  tec_context_destroy(context);
}

static char *emit_for(uint32_t threads, size_t cores) {
  messages kept;
  tec_context *context = new_context(&kept, threads);
  tec_compile_options options = {.size = sizeof options, .target = "host:znver3", .cores = cores};
  tec_module *module;
  char *text = NULL;
  cr_assert_eq(tec_module_parse(context, "text", product, strlen(product), &module), TEC_OK);
  cr_assert_eq(tec_module_emit(module, TEC_OUTPUT_MLIR, &options, &text, NULL), TEC_OK, "%s", kept.last);
  tec_module_destroy(module);
  tec_context_destroy(context);
  return text;
}

Test(api, code_is_for_the_threads_of_its_context_unless_told_otherwise) {
  char *three = emit_for(3, 0), *one = emit_for(1, 0), *told = emit_for(1, 3), *default_told = emit_for(0, 3);
  cr_assert_str_eq(three, told);
  cr_assert_str_eq(three, default_told);
  cr_assert_neq(strcmp(three, one), 0, "%s", one);
  tec_free(three), tec_free(one), tec_free(told), tec_free(default_told);
}

Test(api, tile_sizes_of_another_form_are_refused) {
  static const char *const wrong[] = {"", "rows=0", "rows=1048577", "depth=3", "rows=16,"};
  messages kept;
  tec_context *context = new_context(&kept, 1);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tec_compile_options options = {sizeof options, .tiles = wrong[i]};
    tec_module *module;
    tec_program *program = NULL;
    cr_assert_eq(tec_module_parse(context, "text", product, strlen(product), &module), TEC_OK);
    cr_assert_eq(tec_module_compile(module, &options, &program), TEC_INVALID, "%s", wrong[i]);
    cr_assert_null(program);
    cr_assert(strstr(kept.last, "are no tile sizes; they look like rows=64"), "%s", kept.last);
    tec_module_destroy(module);
  }
  tec_context_destroy(context);
}

Test(api, passes_to_dump_must_be_known_even_where_nobody_listens) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  const char *const wrong[] = {"nothing", "schedule,nothing", ""};
  for (unsigned i = 0; i < 3; i++) {
    const tec_compile_options options = {.size = sizeof options, .dump = wrong[i]};
    tec_module *module;
    tec_program *program;
    cr_assert_eq(tec_module_parse(context, "text", product, strlen(product), &module), TEC_OK);
    cr_assert_eq(tec_module_compile(module, &options, &program), TEC_INVALID);
    cr_assert_eq(kept.count, i + 1);
    tec_module_destroy(module);
  }
  tec_context_destroy(context);
}

Test(api, what_cannot_be_called_is_refused) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"func.func @f(%x: vector<4xf32>) { return }", "cannot be called from outside"},
      {"func.func private @f() { return }", "no public function"},
      {"", "no public function"},
  };
  messages kept;
  tec_context *context = new_context(&kept, 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    tec_program *program = NULL;
    kept = (messages){0};
    cr_assert_eq(compile(context, cases[i].text, &program), TEC_INVALID);
    cr_assert_null(program);
    cr_assert_eq(kept.count, 1);
    cr_assert(strstr(kept.last, cases[i].message), "%s", kept.last);
  }
  tec_context_destroy(context);
}

/* result = x, of any number of rows. */
/* A function of so many arguments and results of f32, in `text`. */
static void write_function(unsigned num_arguments, unsigned num_results, size_t size, char *text) {
  size_t used = (size_t)snprintf(text, size, "func.func @f(");
  for (unsigned i = 0; i < num_arguments; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%%a%u: f32", i ? ", " : "", i);
  used += (size_t)snprintf(text + used, size - used, ") -> (");
  for (unsigned i = 0; i < num_results; i++)
    used += (size_t)snprintf(text + used, size - used, "%sf32", i ? ", " : "");
  used += (size_t)snprintf(text + used, size - used, ") { return ");
  for (unsigned i = 0; i < num_results; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%%a0", i ? ", " : "");
  used += (size_t)snprintf(text + used, size - used, " : ");
  for (unsigned i = 0; i < num_results; i++)
    used += (size_t)snprintf(text + used, size - used, "%sf32", i ? ", " : "");
  used += (size_t)snprintf(text + used, size - used, " }\n");
  cr_assert_lt(used, size);
}

Test(api, more_arguments_and_results_than_sensible_are_refused) {
  static const struct {
    unsigned arguments, results;
    const char *wanted; /* NULL: it compiles */
  } cases[] = {
      {1, 1025, "text:1:1: error: 'func.func' op has 1025 results, but can only be compiled with 1024 or less"},
      {4097, 1, "text:1:1: error: 'func.func' op has 4097 arguments, but can only be compiled with 4096 or less"},
      {1024, 512, NULL},
  };
  static char text[1 << 17];
  messages kept;
  tec_context *context = new_context(&kept, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tec_program *program = NULL;
    write_function(cases[i].arguments, cases[i].results, sizeof text, text);
    cr_expect_eq(compile(context, text, &program), cases[i].wanted ? TEC_INVALID : TEC_OK, "%s", kept.last);
    cr_expect(!cases[i].wanted || strstr(kept.last, cases[i].wanted), "%s", kept.last);
    tec_program_destroy(program);
  }
  tec_context_destroy(context);
}

static const char same[] = "func.func @same(%x: tensor<?x4xf32>) -> tensor<?x4xf32> { return %x : tensor<?x4xf32> }\n";

/* Calls `same` with one argument; its last message says `wanted`. */
static void expect_refused(tec_program *program, messages *kept, const DLTensor *argument, const char *wanted) {
  DLManagedTensor *result = NULL;
  kept->count = 0;
  cr_assert_eq(tec_program_call(program, NULL, 1, &argument, 1, &result), TEC_INVALID);
  cr_assert_null(result);
  cr_assert_eq(kept->count, 1);
  cr_assert(strstr(kept->last, wanted), "%s", kept->last);
}

Test(api, shapes_that_are_none_are_refused) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  tec_program *program;
  cr_assert_eq(compile(context, same, &program), TEC_OK, "%s", kept.last);
  float data[8] = {0};
  int64_t negative[] = {-1, 4}, fewer[] = {2, 3}, good[] = {2, 4};
  DLTensor tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}};
  expect_refused(program, &kept, &tensor, "argument 0 has rank 2, but its shape is NULL");
  DLManagedTensor *other = NULL;
  cr_assert_eq(tec_tensor_create(context, tensor.dtype, 2, NULL, &other), TEC_INVALID);
  cr_assert_eq(tec_tensor_convert(context, &tensor, tensor.dtype, &other), TEC_INVALID);
  tensor.shape = good; /* of a tensor with too many dims, none is read */
  tensor.ndim = 1 << 20;
  expect_refused(program, &kept, &tensor, "argument 0 has rank 1048576, but 2 is wanted");
  tensor.ndim = -1;
  expect_refused(program, &kept, &tensor, "argument 0 has rank -1, but 2 is wanted");
  tensor.ndim = 2;
  tensor.shape = negative;
  expect_refused(program, &kept, &tensor, "argument 0 has extent -1 in dim 0; extents must not be negative");
  tensor.shape = fewer;
  expect_refused(program, &kept, &tensor, "argument 0 has shape [2, 3], but [?, 4] is wanted");
  tensor.shape = good;
  const DLTensor *argument = &tensor;
  cr_assert_eq(tec_program_call(program, NULL, 1, &argument, 1, &other), TEC_OK, "%s", kept.last);
  tec_tensor_release(other);
  other = NULL;
  int64_t none[] = {0, 4}, turned[] = {1, 2};
  tensor.strides = turned;
  expect_refused(program, &kept, &tensor, "argument 0 is not row-major and contiguous");
  tensor.shape = none; /* no elements are as far apart as anyone likes, and nowhere */
  tensor.data = NULL;
  cr_assert_eq(tec_program_call(program, NULL, 1, &argument, 1, &other), TEC_OK, "%s", kept.last);
  tec_tensor_release(other);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(api, what_is_written_must_not_overlap_anything) {
  static const char text[] =
      "func.func @f(%a: tensor<2xf32>, %m: memref<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  linalg.copy ins(%m : memref<2xf32>) outs(%m : memref<2xf32>)\n"
      "  %r = arith.addf %a, %b : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n";
  static const struct {
    int a, buffer, b, result; /* where they begin */
    const char *message;
  } cases[] = {{0, 2, 0, 4, NULL}, /* what is only read may be read twice */
               {0, 4, 1, 6, NULL},
               {0, 1, 6, 8, "argument 1 overlaps argument 0, and one of them is written"},
               {2, 2, 6, 8, "overlaps argument"},
               {0, 2, 4, 1, "result 0 overlaps argument 0"},
               {0, 2, 4, 3, "result 0 overlaps argument 1, and each is written"},
               {0, 6, 3, 4, "result 0 overlaps argument 2"}};
  messages kept;
  tec_context *context = new_context(&kept, 1);
  tec_program *program;
  cr_assert_eq(compile(context, text, &program), TEC_OK, "%s", kept.last);
  float data[10] = {0};
  int64_t shape[] = {2};
  DLTensor tensor = {.device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int begins[] = {cases[i].a, cases[i].buffer, cases[i].b, cases[i].result};
    DLTensor tensors[4];
    for (int k = 0; k < 4; k++) {
      tensors[k] = tensor;
      tensors[k].data = data + begins[k];
    }
    DLManagedTensor result = {.dl_tensor = tensors[3]}, *results[] = {&result};
    const DLTensor *arguments[] = {&tensors[0], &tensors[1], &tensors[2]};
    tec_status status = tec_program_call(program, NULL, 3, arguments, 1, results);
    cr_assert_eq(status, cases[i].message ? TEC_INVALID : TEC_OK, "%zu: %s", i, kept.last);
    cr_assert(!cases[i].message || strstr(kept.last, cases[i].message), "%zu: %s", i, kept.last);
  }
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(api, null_in_place_of_what_is_needed_is_refused) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  tec_program *program;
  cr_assert_eq(compile(context, same, &program), TEC_OK, "%s", kept.last);
  float data[8] = {0};
  int64_t shape[] = {2, 4};
  DLTensor tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  const DLTensor *argument = &tensor;
  DLManagedTensor *result = NULL;
  cr_assert_eq(tec_program_call(program, NULL, 1, NULL, 1, &result), TEC_INVALID);
  cr_assert(strstr(kept.last, "the array of the arguments of 'same' is NULL"), "%s", kept.last);
  cr_assert_eq(tec_program_call(program, NULL, 1, &argument, 1, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "the array of the results of 'same' is NULL"), "%s", kept.last);
  cr_assert_eq(tec_program_set_device(program, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "the name of a device is NULL"), "%s", kept.last);
  tensor.data = NULL;
  char *bytes = NULL;
  size_t size;
  cr_assert_eq(tec_tensor_convert(context, &tensor, tensor.dtype, &result), TEC_INVALID);
  cr_assert_eq(tec_tensor_write_npy(context, &tensor, &bytes, &size), TEC_INVALID);
  cr_assert(strstr(kept.last, "is not a valid tensor"), "%s", kept.last);
  cr_assert_eq(tec_file_read(context, NULL, &bytes, &size), TEC_INVALID);
  cr_assert_eq(tec_program_save(program, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "the path of a file is NULL"), "%s", kept.last);
  cr_assert_eq(tec_layout_draw(context, NULL, false, &bytes, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "the layout to draw is NULL"), "%s", kept.last);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(api, names_and_sizes_that_nobody_wants_may_be_null) {
  messages kept;
  tec_context *context = new_context(&kept, 1);
  tec_module *module;
  cr_assert_eq(tec_module_parse(context, NULL, "what?", 5, &module), TEC_INVALID);
  cr_assert(strstr(kept.last, "<memory>:1:1: error: "), "%s", kept.last);
  cr_assert_eq(tec_module_parse(context, NULL, product, strlen(product), &module), TEC_OK);
  char *text = NULL;
  cr_assert_eq(tec_module_emit(module, TEC_OUTPUT_ASSEMBLY, NULL, &text, NULL), TEC_OK, "%s", kept.last);
  cr_assert(strstr(text, "product"));
  tec_free(text);
  tec_module_destroy(module);
  tec_program *program;
  cr_assert_eq(tec_program_read(context, NULL, "what?", 5, &program), TEC_INVALID);
  cr_assert(strstr(kept.last, "cannot read the program '<memory>'"), "%s", kept.last);
  DLManagedTensor *tensor;
  cr_assert_eq(tec_tensor_read_npy(context, NULL, "what?", 5, &tensor), TEC_INVALID);
  cr_assert(strstr(kept.last, "cannot read '<memory>'"), "%s", kept.last);
  cr_assert(tec_tiles_check(NULL));
  tec_context_destroy(context);
}

/* Compiles and calls the product in a context of this thread; returns NULL when all numbers are right. */
static void *product_is_right(void *unused) {
  messages kept;
  tec_context *context = new_context(&kept, 2);
  tec_program *program;
  if (compile(context, product, &program))
    return "compile";
  static const DLDataType f32 = {kDLFloat, 32, 1};
  const int64_t shapes[2][2] = {{40, 56}, {56, 24}};
  DLManagedTensor *tensors[2], *result = NULL;
  const DLTensor *arguments[2];
  for (int i = 0; i < 2; i++) {
    if (tec_tensor_create(context, f32, 2, shapes[i], &tensors[i]))
      return "create";
    for (int64_t k = 0; k < shapes[i][0] * shapes[i][1]; k++)
      ((float *)tensors[i]->dl_tensor.data)[k] = (float)((k * 7 + i) % 11 - 5);
    arguments[i] = &tensors[i]->dl_tensor;
  }
  const float *a = tensors[0]->dl_tensor.data, *b = tensors[1]->dl_tensor.data;
  for (int round = 0; round < 3; round++) {
    if (tec_program_call(program, NULL, 2, arguments, 1, &result))
      return "call";
    for (int i = 0; i < 40; i++)
      for (int j = 0; j < 24; j++) {
        float sum = 0; /* small integers: exact */
        for (int k = 0; k < 56; k++)
          sum += a[i * 56 + k] * b[k * 24 + j];
        if (((float *)result->dl_tensor.data)[i * 24 + j] != sum)
          return "number";
      }
  }
  tec_tensor_release(result);
  for (int i = 0; i < 2; i++)
    tec_tensor_release(tensors[i]);
  tec_program_destroy(program);
  tec_context_destroy(context);
  return NULL;
}

Test(api, four_contexts_work_at_once) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, product_is_right, NULL), 0);
  for (int i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    cr_assert_null(wrong, "%s", (const char *)wrong);
  }
}

/* A loop whose body calls a function with a loop of its own. */
static const char loop_in_loop[] = "func.func private @row(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %i: index) {\n"
                                   "  scf.forall (%j) = (0) to (8) step (1) {\n"
                                   "    %e = memref.load %x[%i, %j] : memref<8x8xf32>\n"
                                   "    memref.store %e, %y[%j, %i] : memref<8x8xf32>\n"
                                   "  }\n"
                                   "  return\n"
                                   "}\n"
                                   "func.func @transpose(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {\n"
                                   "  scf.forall (%i) = (0) to (8) step (1) {\n"
                                   "    func.call @row(%x, %y, %i) : (memref<8x8xf32>, memref<8x8xf32>, index) -> ()\n"
                                   "  }\n"
                                   "  return\n"
                                   "}\n";

/* A program's threads that are none of ours: two, which share the iterations of a loop. */
typedef struct own_threads {
  messages kept; /* first, as both callbacks get the same pointer */
  bool in_loop;
  int loops, bodies;
  void (*body)(void *data, int64_t i);
  void *data;
  int64_t count;
} own_threads;

static void *run_odd(void *user) {
  own_threads *own = user;
  for (int64_t i = 1; i < own->count; i += 2)
    own->body(own->data, i);
  return NULL;
}

static void own_parallel_for(void *user, int64_t count, void (*body)(void *data, int64_t i), void *data) {
  own_threads *own = user;
  cr_assert(!own->in_loop);
  own->in_loop = true;
  own->loops++;
  own->bodies += (int)count;
  own->body = body, own->data = data, own->count = count;
  pthread_t other;
  cr_assert_eq(pthread_create(&other, NULL, run_odd, own), 0);
  for (int64_t i = 0; i < count; i += 2)
    body(data, i);
  pthread_join(other, NULL);
  own->in_loop = false;
}

Test(api, loops_run_on_the_callers_threads) {
  for (int ours = 0; ours < 2; ours++) {
    own_threads own = {0};
    tec_context *context = messages_context(
        &own.kept, (tec_context_options){.threads = 2, .parallel_for = ours ? NULL : own_parallel_for});
    tec_program *program;
    cr_assert_eq(compile(context, loop_in_loop, &program), TEC_OK, "%s", own.kept.last);
    float numbers[2][8 * 8];
    for (int k = 0; k < 8 * 8; k++)
      numbers[0][k] = (float)k, numbers[1][k] = -1;
    int64_t shape[] = {8, 8};
    DLTensor tensors[2];
    for (int i = 0; i < 2; i++)
      tensors[i] =
          (DLTensor){.data = numbers[i], .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    const DLTensor *arguments[] = {&tensors[0], &tensors[1]};
    cr_assert_eq(tec_program_call(program, "transpose", 2, arguments, 0, NULL), TEC_OK, "%s", own.kept.last);
    for (int k = 0; k < 8 * 8; k++)
      cr_assert_eq(numbers[1][k], numbers[0][k % 8 * 8 + k / 8]);
    cr_assert_eq(own.loops, !ours);
    cr_assert_eq(own.bodies, ours ? 0 : 8);
    tec_program_destroy(program);
    tec_context_destroy(context);
  }
}

Test(api, names_that_c_cannot_use_are_refused_where_that_is_wanted) {
  static const char text[] = "func.func private @class()\nfunc.func @f() { return }\nfunc.func @double() { return }";
  messages kept;
  tec_context *context = new_context(&kept, 1);
  for (int wanted = 0; wanted <= 1; wanted++) {
    const tec_compile_options options = {.size = sizeof options, .c_names = wanted};
    tec_module *module;
    tec_program *program = NULL;
    cr_assert_eq(tec_module_parse(context, "f.mlir", text, strlen(text), &module), TEC_OK, "%s", kept.last);
    cr_assert_eq(tec_module_compile(module, &options, &program), wanted ? TEC_INVALID : TEC_OK, "%s", kept.last);
    tec_program_destroy(program);
    tec_module_destroy(module);
  }
  cr_assert(strstr(kept.last, "f.mlir:3:1: error: the function name 'double' cannot be used in C\n"), "%s", kept.last);
  tec_context_destroy(context);
}

Test(api, header_needs_c_names) {
  static const char *const names[] = {"\"a b\"", "class", "xor_eq", "alignas", "main"};
  messages kept;
  tec_context *context = new_context(&kept, 1);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tec_program *program;
    char text[100], *header;
    size_t size;
    snprintf(text, sizeof text, "func.func @%s(%%x: tensor<4xf32>) -> tensor<4xf32> { return %%x : tensor<4xf32> }",
             names[i]);
    kept = (messages){0};
    cr_assert_eq(compile(context, text, &program), TEC_OK, "%s", kept.last);
    cr_assert_eq(tec_program_header(program, &header, &size), TEC_INVALID, "%s", names[i]);
    cr_assert_eq(kept.count, 1);
    cr_assert(strstr(kept.last, "cannot be used in C"));
    tec_program_destroy(program);
  }
  tec_program *program;
  char *header;
  cr_assert_eq(compile(context, "func.func @f() { return }\nfunc.func @f_call() { return }", &program), TEC_OK);
  cr_assert_eq(tec_program_header(program, &header, NULL), TEC_INVALID);
  cr_assert(strstr(kept.last, "that calls 'f' would have the name of another"), "%s", kept.last);
  tec_program_destroy(program);
  tec_context_destroy(context);
}
