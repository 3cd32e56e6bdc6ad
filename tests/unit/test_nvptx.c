/* test_nvptx.c - kernels for NVIDIA GPUs: ptxas, where installed, takes every text for every chip; numbers on the
 * emulator; launches; refusals. */
#include "backend/backend.h"
#include "ir/text.h"
#include "runtime/ptx.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const chips[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"};
enum { NUM_CHIPS = sizeof chips / sizeof chips[0] };

typedef struct compiled {
  ir_module *module;
  char messages[2000];
  char *text;
  size_t size;
  unsigned num_routines;
  const backend_routine *routines;
} compiled;

static void on_message(void *user, ir_severity severity, const char *rendered) {
  compiled *c = user;
  strncat(c->messages, rendered, sizeof c->messages - strlen(c->messages) - 1);
}

static bool compile(compiled *c, const char *chip, const char *text) {
  target_facts facts;
  char name[32];
  *c = (compiled){0};
  snprintf(name, sizeof name, "nvptx:%s", chip);
  c->module = ir_module_create(on_message, c);
  cr_assert(target_find(name, &facts));
  return ir_parse(c->module, "test.mlir", text, strlen(text)) &&
         backend_emit_kernels(c->module, &facts, BACKEND_ASSEMBLY, &c->text, &c->size, &c->num_routines, &c->routines);
}

static void finish(compiled *c) {
  free(c->text);
  ir_module_destroy(c->module);
}

static char *read_file(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/../nvptx/%s", GOLDEN_DIR, name);
  FILE *file = fopen(path, "r");
  cr_assert(file, "%s", path);
  char *text = calloc(1, 1 << 16);
  cr_assert(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

/* ------------------------------------------------------------------------------------------------------------ ptxas */

static bool has_ptxas(void) { return system("ptxas --version >/dev/null 2>&1") == 0; }

/* Assembles and prints what ptxas tells of each kernel; no register may be spilled, no local memory used. */
static void assemble(const compiled *c, const char *chip) {
  char path[] = "/tmp/test_nvptx_XXXXXX", command[128], line[512];
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0 && write(descriptor, c->text, c->size) == (ssize_t)c->size);
  close(descriptor);
  snprintf(command, sizeof command, "ptxas -arch=%s -v -o /dev/null %s 2>&1", chip, path);
  FILE *pipe = popen(command, "r");
  while (fgets(line, sizeof line, pipe)) {
    const char *stack = strstr(line, "bytes stack frame"), *kernel = strstr(line, "Function properties for ");
    if (kernel)
      fprintf(stderr, "%s %s", chip, kernel + strlen("Function properties for "));
    if (strstr(line, "Used "))
      fprintf(stderr, "  %s", strstr(line, "Used "));
    cr_expect(!stack || strstr(line, " 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"), "%s", line);
    cr_expect(!strstr(line, "error") && !strstr(line, "fatal") && !strstr(line, "serialized"), "%s", line);
  }
  cr_expect_eq(pclose(pipe), 0);
  unlink(path);
}

static void check_for(const char *chip, const char *text) {
  compiled c;
  cr_assert(compile(&c, chip, text), "%s", c.messages);
  if (has_ptxas())
    assemble(&c, chip);
  finish(&c);
}

static void check_file(const char *name) {
  char *text = read_file(name);
  for (unsigned i = 0; i < NUM_CHIPS; i++)
    check_for(chips[i], text);
  free(text);
}

Test(nvptx, ptxas_takes_vector_sums) { check_file("add.mlir"); }
Test(nvptx, ptxas_takes_row_softmax) { check_file("softmax.mlir"); }
Test(nvptx, ptxas_takes_pipelined_product) { check_file("gemm.mlir"); }
Test(nvptx, ptxas_takes_every_instruction) { check_file("instructions.mlir"); }

/* Others refuse them: tests/invalid. */
Test(nvptx, ptxas_takes_products_of_warpgroups) {
  char *text = read_file("warpgroup-instructions.mlir");
  check_for("sm_90a", text);
  free(text);
}

Test(nvptx, math_has_a_form_in_16_and_32_bits) {
  static const char *const functions[] = {"exp",  "exp2",  "log",   "log2",  "tanh",      "erf", "sqrt",  "rsqrt",
                                          "absf", "floor", "trunc", "round", "roundeven", "tan", "log10", "sinh",
                                          "cosh", "asin",  "acos",  "atan",  "erfc",      "cbrt"};
  static const char *const types[] = {"f16", "bf16", "f32"};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
    for (size_t t = 0; t < 3; t++) {
      char text[700];
      compiled c;
      snprintf(
          text, sizeof text,
          "func.func @f(%%x: memref<4x32x%s>) {\n"
          "  %%pad = arith.constant 0.0 : %s\n"
          "  scf.forall (%%i) = (0) to (4) step (1) {\n"
          "    %%t = gpu.thread_id x\n"
          "    %%v = vector.transfer_read %%x[%%i, %%t], %%pad {in_bounds = [true]} : memref<4x32x%s>, vector<2x%s>\n"
          "    %%w = math.%s %%v : vector<2x%s>\n"
          "    vector.transfer_write %%w, %%x[%%i, %%t] {in_bounds = [true]} : vector<2x%s>, memref<4x32x%s>\n"
          "  } {tec.threads = 16 : i64}\n  return\n}\n",
          types[t], types[t], types[t], types[t], functions[f], types[t], types[t], types[t]);
      cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
      if (has_ptxas())
        assemble(&c, "sm_80");
      finish(&c);
    }
}

/* --------------------------------------------------------------------------------------------------------- launches */

/* A value of a routine for given extents of the arguments. */
static int64_t evaluate(const program_routine *r, uint32_t number, const int64_t *extents) {
  const program_value *v = &r->values[number];
  if (v->operation == PROGRAM_CONSTANT)
    return v->constant;
  if (v->operation == PROGRAM_EXTENT)
    return extents[v->constant];
  int64_t x[3] = {0};
  for (unsigned i = 0; i < (v->operation == PROGRAM_SELECT ? 3 : 2); i++) {
    cr_assert_lt(v->operands[i], number);
    x[i] = evaluate(r, v->operands[i], extents);
  }
  int64_t rest = x[1] > 0 ? (x[0] % x[1] + x[1]) % x[1] : 0;
  switch (v->operation) {
  case PROGRAM_ADD:
    return x[0] + x[1];
  case PROGRAM_SUB:
    return x[0] - x[1];
  case PROGRAM_MUL:
    return x[0] * x[1];
  case PROGRAM_FLOORDIV:
    return (x[0] - rest) / x[1];
  case PROGRAM_CEILDIV:
    return (x[0] - rest) / x[1] + (rest != 0);
  case PROGRAM_MOD:
    return rest;
  case PROGRAM_MIN:
    return x[0] < x[1] ? x[0] : x[1];
  case PROGRAM_MAX:
    return x[0] > x[1] ? x[0] : x[1];
  case PROGRAM_EQUAL:
    return x[0] == x[1];
  case PROGRAM_LESS:
    return x[0] < x[1];
  default:
    return x[0] ? x[1] : x[2];
  }
}

Test(nvptx, launches_follow_the_extents) {
  char *text = read_file("gemm.mlir");
  compiled c;
  cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
  cr_assert_eq(c.num_routines, 1);
  const program_routine *r = &c.routines[0].routine;
  cr_assert_eq(r->num_launches, 1);
  const program_launch *launch = &r->launches[0];
  const int64_t extents[] = {33, 64, 17, 64, 33, 17};
  cr_expect_str_eq(launch->kernel, "gemm_0");
  cr_expect_eq(evaluate(r, launch->grid[0], extents), 3 * 3);
  cr_expect_eq(evaluate(r, launch->grid[1], extents), 1);
  cr_expect_eq(evaluate(r, launch->grid[2], extents), 1);
  cr_expect_eq(launch->block[0], 32);
  cr_expect_eq(launch->shared_bytes, 2 * 16 * 24 * 2 + 2 * 8 * 24 * 2);
  cr_expect_eq(launch->arguments[0].kind, PROGRAM_TENSOR);
  cr_expect_eq(evaluate(r, r->workspace_bytes, extents), 0);
  finish(&c);
  free(text);
}

/* Two kernels with a buffer between, views, a scalar, a constant and arithmetic outside of kernels, five dims. */
static const char *const chain_text =
    "memref.global \"private\" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>\n"
    "func.func @chain(%x: memref<?x?xf32>, %s: f32, %y: memref<?xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %m = memref.dim %x, %c0 : memref<?x?xf32>\n"
    "  %n = memref.dim %x, %c1 : memref<?x?xf32>\n"
    "  %twice = arith.addf %s, %s : f32\n"
    "  %table = memref.get_global @table : memref<4xf32>\n"
    "  %unused = memref.alloc(%n) : memref<?xf32>\n"
    "  %between = memref.alloc(%m, %n) : memref<?x?xf32>\n"
    "  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%m]\n"
    "  %part = memref.subview %between[%half, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], "
    "offset: ?>>\n"
    "  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (1, 1) {\n"
    "    %v = memref.load %x[%i, %j] : memref<?x?xf32>\n"
    "    %p = arith.mulf %v, %twice : f32\n"
    "    %q = memref.load %table[%c1] : memref<4xf32>\n"
    "    %r = arith.addf %p, %q : f32\n"
    "    memref.store %r, %between[%i, %j] : memref<?x?xf32>\n"
    "  }\n"
    "  scf.forall (%a, %b, %c, %d, %e) = (0, 0, 0, 0, 1) to (2, 3, 4, 5, %n) step (1, 1, 1, 1, 1) {\n"
    "    %v = memref.load %part[%e] : memref<?xf32, strided<[1], offset: ?>>\n"
    "    memref.store %v, %y[%e] : memref<?xf32>\n"
    "  }\n"
    "  return\n"
    "}\n";

Test(nvptx, kernels_share_a_workspace) {
  compiled c;
  cr_assert(compile(&c, "sm_80", chain_text), "%s", c.messages);
  const program_routine *r = &c.routines[0].routine;
  cr_assert_eq(r->num_launches, 2);
  const int64_t extents[] = {10, 7, 7};
  cr_expect_eq(evaluate(r, r->workspace_bytes, extents), 256 + 512);
  const program_launch *second = &r->launches[1];
  cr_expect_eq(evaluate(r, second->grid[0], extents), 6 * 5 * 24);
  bool found = false, scalar = false;
  for (unsigned i = 0; i < second->num_arguments; i++)
    if (second->arguments[i].kind == PROGRAM_WORKSPACE) {
      found = true;
      cr_expect_eq(evaluate(r, second->arguments[i].value, extents), 256 + 5 * 7 * 4);
    }
  for (unsigned i = 0; i < r->launches[0].num_arguments; i++)
    scalar |= r->launches[0].arguments[i].kind == PROGRAM_SCALAR && r->launches[0].arguments[i].tensor == 1;
  cr_expect(found && scalar);
  if (has_ptxas())
    assemble(&c, "sm_80");
  finish(&c);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Runs the only launch of the only routine on the emulator; `buffers` are the arguments of the function. */
static void run(const compiled *c, const int64_t *extents, const ptx_buffer *buffers, size_t num_buffers) {
  const program_routine *r = &c->routines[0].routine;
  const program_launch *launch = &r->launches[0];
  enum { MAX_ARGUMENTS = 16 };
  int64_t words[MAX_ARGUMENTS];
  ptx_argument arguments[MAX_ARGUMENTS];
  ptx_message message = {""};
  ptx_module *module;
  cr_assert_leq(launch->num_arguments, MAX_ARGUMENTS);
  for (unsigned i = 0; i < launch->num_arguments; i++) {
    const program_argument *a = &launch->arguments[i];
    int64_t value = evaluate(r, a->value, extents);
    words[i] = a->kind == PROGRAM_TENSOR ? (int64_t)(intptr_t)buffers[a->tensor].base + value : value;
    arguments[i] = (ptx_argument){&words[i], sizeof words[i]};
  }
  cr_assert_eq(ptx_module_load(c->text, c->size, &module, &message), TEC_OK, "%s", message.text);
  ptx_launch_options options = {.kernel = launch->kernel,
                                .dynamic_shared_bytes = launch->shared_bytes,
                                .arguments = arguments,
                                .num_arguments = launch->num_arguments,
                                .buffers = buffers,
                                .num_buffers = num_buffers,
                                .threads = 1,
                                .refuse_uninitialised = true};
  for (unsigned i = 0; i < 3; i++) {
    options.grid[i] = (uint32_t)evaluate(r, launch->grid[i], extents);
    options.block[i] = launch->block[i];
  }
  cr_assert_eq(ptx_launch(module, &options, NULL, &message), TEC_OK, "%s", message.text);
  ptx_module_free(module);
}

static uint16_t half(double value) { return (uint16_t)ir_float_to_bits(IR_F16, value); }
static double from_half(uint16_t bits) { return ir_float_from_bits(IR_F16, bits); }

Test(nvptx, pipelined_product_gives_the_right_numbers) {
  enum { M = 48, N = 24, K = 80 };
  static uint16_t a[M * K], b[N * K];
  static float product[M * N];
  for (int i = 0; i < M * K; i++)
    a[i] = half((i * 37 % 101 - 50) / 16.0);
  for (int i = 0; i < N * K; i++)
    b[i] = half((i * 53 % 97 - 48) / 16.0);
  char *text = read_file("gemm.mlir");
  compiled c;
  cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
  run(&c, (int64_t[]){M, K, N, K, M, N}, (ptx_buffer[]){{a, sizeof a}, {b, sizeof b}, {product, sizeof product}}, 3);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++)
        sum += from_half(a[i * K + k]) * from_half(b[j * K + k]);
      cr_assert_float_eq(product[i * N + j], sum, 1e-3, "%d, %d: %g, not %g", i, j, product[i * N + j], sum);
    }
  finish(&c);
  free(text);
}

Test(nvptx, row_softmax_gives_the_right_numbers) {
  enum { ROWS = 19 };
  static uint16_t x[ROWS * 32], y[ROWS * 32];
  for (int i = 0; i < ROWS * 32; i++)
    x[i] = half((i * 37 % 101 - 50) / 5.0);
  char *text = read_file("softmax.mlir");
  compiled c;
  cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
  run(&c, (int64_t[]){ROWS, 32, ROWS, 32}, (ptx_buffer[]){{x, sizeof x}, {y, sizeof y}}, 2);
  for (int row = 0; row < ROWS; row++) {
    double sum = 0;
    for (int i = 0; i < 32; i++)
      sum += exp(from_half(x[row * 32 + i]));
    for (int i = 0; i < 32; i++)
      cr_assert_float_eq(from_half(y[row * 32 + i]), exp(from_half(x[row * 32 + i])) / sum, 3e-4);
  }
  finish(&c);
  free(text);
}

Test(nvptx, masked_lanes_touch_nothing) {
  enum { COUNT = 1501 };
  static float x[COUNT], y[COUNT], z[COUNT];
  for (int i = 0; i < COUNT; i++) {
    x[i] = (float)i;
    y[i] = (float)(3 * i);
  }
  char *text = read_file("add.mlir");
  compiled c;
  cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
  run(&c, (int64_t[]){COUNT, COUNT, COUNT}, (ptx_buffer[]){{x, sizeof x}, {y, sizeof y}, {z, sizeof z}}, 3);
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(z[i], (float)(4 * i));
  finish(&c);
  free(text);
}

/* In units of the last place; results below the normal range do not count. */
static double error_of(float got, double wanted) {
  int exponent;
  if ((isnan(got) && isnan(wanted)) || got == (float)wanted || fabs(wanted) < 0x1p-126)
    return 0;
  frexp(wanted, &exponent);
  return fabs(got - wanted) / ldexp(1, exponent - 24);
}

Test(nvptx, math_is_as_exact_as_documented) {
  static const struct {
    const char *name;
    double (*exact)(double), range, bound;
    bool exponential; /* arguments from e^-range to e^range */
  } functions[] = {{"exp", exp, 105, 4, false},     {"exp2", exp2, 130, 2, false},    {"log", log, 85, 3, true},
                   {"log2", log2, 85, 4, true},     {"log", log, 0.5, 3, true},       {"log2", log2, 0.5, 4, true},
                   {"tanh", tanh, 10, 4, false},    {"tanh", tanh, 1, 4, false},      {"erf", erf, 4, 6, false},
                   {"log1p", log1p, 85, 1, true},   {"log1p", log1p, 0.99, 1, false}, {"expm1", expm1, 90, 1, false},
                   {"expm1", expm1, 0.1, 1, false}, {"sin", sin, 30, 1, false},       {"cos", cos, 1e6, 1, false},
                   {"tan", tan, 30, 1, false},      {"tan", tan, 1e6, 1, false},      {"log10", log10, 85, 1, true},
                   {"log10", log10, 0.5, 1, true},  {"sinh", sinh, 90, 1, false},     {"sinh", sinh, 1.5, 1, false},
                   {"cosh", cosh, 90, 1, false},    {"asin", asin, 1.01, 1, false},   {"acos", acos, 1.01, 1, false},
                   {"atan", atan, 3, 1, false},     {"atan", atan, 85, 1, true},      {"erfc", erfc, 10.5, 1, false},
                   {"cbrt", cbrt, 85, 1, true},     {"cbrt", cbrt, 1e6, 1, false}};
  static const float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 88.72f, 89, 1e-40f, -1, 1};
  enum { COUNT = 2000, SPECIAL = sizeof special / sizeof *special };
  static float x[COUNT], y[COUNT];
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    char text[500];
    compiled c;
    snprintf(text, sizeof text,
             "func.func @f(%%x: memref<2000xf32>, %%y: memref<2000xf32>) {\n"
             "  scf.forall (%%i) = (0) to (2000) step (1) {\n"
             "    %%v = memref.load %%x[%%i] : memref<2000xf32>\n"
             "    %%w = math.%s %%v : f32\n"
             "    memref.store %%w, %%y[%%i] : memref<2000xf32>\n"
             "  }\n  return\n}\n",
             functions[f].name);
    for (int i = 0; i < COUNT; i++) {
      double at = ((i + 0.37) / COUNT * 2 - 1) * functions[f].range;
      x[i] = i < (int)SPECIAL ? special[i] : (float)(functions[f].exponential ? exp(at) : at);
    }
    cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
    run(&c, (int64_t[]){COUNT, COUNT}, (ptx_buffer[]){{x, sizeof x}, {y, sizeof y}}, 2);
    bool drops_sign = !strcmp(functions[f].name, "expm1"); /* of -0 */
    for (int i = 0; i < COUNT; i++) {
      double exact = functions[f].exact(x[i]);
      bool right_sign = exact != 0 || !signbit(exact) == !signbit(y[i]);
      cr_expect(error_of(y[i], exact) <= functions[f].bound && (right_sign || drops_sign), "%s(%.9g) = %.9g",
                functions[f].name, x[i], y[i]);
    }
    finish(&c);
  }
}

static void check_pairs(const char *op, double (*exact_of)(double, double)) {
  static const float special[] = {0,     -0.0f, 1,  -1, INFINITY, -INFINITY, NAN,   0.5f,
                                  -0.5f, 2,     -2, 3,  -3,       1e-40f,    1e30f, -1e30f};
  enum { SPECIAL = sizeof special / sizeof *special, COUNT = 2000 };
  static float x[COUNT], y[COUNT], z[COUNT];
  for (int i = 0; i < COUNT; i++) {
    x[i] = i < SPECIAL * SPECIAL ? special[i / SPECIAL] : (float)exp(20 * sin(i));
    y[i] = i < SPECIAL * SPECIAL ? special[i % SPECIAL] : (float)(4 * cos(3 * i));
  }
  char text[600];
  compiled c;
  snprintf(text, sizeof text,
           "func.func @f(%%x: memref<2000xf32>, %%y: memref<2000xf32>, %%z: memref<2000xf32>) {\n"
           "  scf.forall (%%i) = (0) to (2000) step (1) {\n"
           "    %%a = memref.load %%x[%%i] : memref<2000xf32>\n"
           "    %%b = memref.load %%y[%%i] : memref<2000xf32>\n"
           "    %%c = math.%s %%a, %%b : f32\n"
           "    memref.store %%c, %%z[%%i] : memref<2000xf32>\n"
           "  }\n  return\n}\n",
           op);
  cr_assert(compile(&c, "sm_80", text), "%s", c.messages);
  run(&c, (int64_t[]){COUNT, COUNT, COUNT}, (ptx_buffer[]){{x, sizeof x}, {y, sizeof y}, {z, sizeof z}}, 3);
  for (int i = 0; i < COUNT; i++) {
    double exact = exact_of(x[i], y[i]);
    cr_expect(error_of(z[i], exact) <= 1 && (exact != 0 || !signbit(z[i]) == !signbit(exact)),
              "%s of %.9g and %.9g gives %.9g", op, x[i], y[i], z[i]);
  }
  finish(&c);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

static void refuse(const char *message, const char *body) {
  char text[2000];
  compiled c;
  snprintf(text, sizeof text,
           "func.func @f(%%x: memref<?xf32>, %%y: memref<64x64xf32>, %%s: index, %%h: memref<4xf64>) {\n"
           "  %%c0 = arith.constant 0 : index\n%s  return\n}\n",
           body);
  cr_expect(!compile(&c, "sm_86", text), "%s", message);
  cr_expect(strstr(c.messages, message), "'%s' is not in:\n%s", message, c.messages);
  const char *first = strstr(c.messages, "error:");
  cr_expect(first && !strstr(first + 1, "error:"), "one error only:\n%s", c.messages);
  finish(&c);
}

#define KERNEL(BODY, ATTRS) "  scf.forall (%i) = (0) to (4) step (1) {\n" BODY "  } " ATTRS "\n"

Test(nvptx, powers_are_those_of_the_c_library) { check_pairs("powf", pow); }
Test(nvptx, angles_are_those_of_the_c_library) { check_pairs("atan2", atan2); }

Test(nvptx, refusals) {
  refuse("takes 1 to 1024", KERNEL("", "{tec.threads = 1025 : i64}"));
  refuse("takes 1 to 1024", KERNEL("", "{tec.threads = 0 : i64}"));
  refuse("bytes of shared memory",
         KERNEL("    %a = memref.alloca() : memref<60000xi8, #gpu.address_space<workgroup>>\n"
                "    %b = memref.alloca() : memref<60000xi8, #gpu.address_space<workgroup>>\n",
                ""));
  refuse("size must be known",
         KERNEL("    %a = memref.alloca(%s) : memref<?xi8, #gpu.address_space<workgroup>>\n", ""));
  refuse("gives each lane more than", KERNEL("    %a = memref.alloca(%s) : memref<?xi8>\n", ""));
  refuse("cannot be in a kernel", KERNEL("    %a = memref.alloc() : memref<4xi8>\n", ""));
  refuse("has no form for f64", KERNEL("    %a = memref.load %h[%c0] : memref<4xf64>\n"
                                       "    %b = math.exp %a : f64\n",
                                       ""));
  refuse("is no instruction of the matrix unit",
         KERNEL("    %a = arith.constant dense<0.0> : vector<4x1xf32>\n"
                "    %b = arith.constant dense<0.0> : vector<2x1xf32>\n"
                "    %c = arith.constant dense<0.0> : vector<2x2xf32>\n"
                "    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 8]} : "
                "(vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>\n",
                ""));
  refuse("a vector of 4096 elements", KERNEL("    %a = vector.broadcast %i : index to vector<64x64xindex>\n", ""));
  refuse("not known before it is launched", "  scf.forall (%i) = (0) to (%s) step (1) {\n  }\n");
  refuse("stands outside of kernels", "  %v = memref.load %x[%c0] : memref<?xf32>\n");
  refuse("stands outside of kernels", "  %z = arith.constant 0.0 : f32\n"
                                      "  linalg.fill ins(%z : f32) outs(%x : memref<?xf32>)\n");
}

Test(nvptx, lanes_exist_on_gpus_only) {
  const char *text = "func.func @f() {\n  %t = gpu.thread_id x\n  return\n}\n";
  compiled c = {0};
  target_facts facts;
  c.module = ir_module_create(on_message, &c);
  cr_assert(ir_parse(c.module, "test.mlir", text, strlen(text)) &&
            backend_target_host(c.module, "host:x86-64-v3", &facts));
  cr_expect(!backend_emit_host(c.module, &facts, BACKEND_OBJECT, &c.text, &c.size));
  cr_expect(strstr(c.messages, "has no form in the host backend"), "%s", c.messages);
  finish(&c);
}
