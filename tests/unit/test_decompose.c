/* test_decompose.c - the interpreter gives the same numbers before and after decompose-softmax, and after bufferize:
 * over random programs, fused by random scripts or not, and for rows of scores that are masked, wholly or in their
 * first tile. */
#include "ir/interp.h"
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/generate.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_SEEDS = 40, MAX_VALUES = 12 };
static const double tolerance = 1e-9; /* both sides are in double precision */

static void show(void *user, ir_severity severity, const char *text) {
  if (severity == IR_ERROR)
    fprintf(stderr, "%s", text);
}

static double next_normal(uint64_t *state) {
  double sum = -6; /* twelve uniform numbers */
  for (unsigned i = 0; i < 12; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 11) * 0x1p-53;
  }
  return sum;
}

static void fill_inputs(const ir_module *module, ir_tensor *inputs, unsigned count, const int64_t (*shapes)[4]) {
  const ir_block *body = ir_region(ir_module_lookup(module, "main"), 0);
  uint64_t state = 1;
  for (unsigned i = 0; i < count; i++) {
    inputs[i] = (ir_tensor){.element = body->args[i]->type->element, .rank = body->args[i]->type->rank};
    int64_t elements = 1;
    for (unsigned dim = 0; dim < inputs[i].rank; dim++)
      elements *= inputs[i].shape[dim] = shapes[i][dim];
    cr_assert(ir_tensor_allocate(&inputs[i]));
    for (int64_t k = 0; k < elements; k++)
      inputs[i].cells[k].f = ir_scalar_round(inputs[i].element, 3 * next_normal(&state));
  }
}

static void expect_same(const ir_tensor *a, const ir_tensor *b, const char *what, unsigned seed) {
  int64_t elements = 1;
  cr_assert_eq(a->rank, b->rank);
  for (unsigned dim = 0; dim < a->rank; dim++) {
    cr_assert_eq(a->shape[dim], b->shape[dim]);
    elements *= a->shape[dim];
  }
  for (int64_t i = 0; i < elements; i++) {
    double x = a->cells[i].f, y = b->cells[i].f;
    bool same = (isnan(x) && isnan(y)) || x == y || fabs(x - y) <= tolerance * (1 + fabs(x));
    cr_assert(same, "%s, seed %u: element %ld is %g instead of %g", what, seed, (long)i, y, x);
  }
}

/* Runs @main of `text` as it is, after `passes`, and after bufferization on top of them. */
static void compare(const char *text, size_t size, const char *passes, const target_facts *target, unsigned count,
                    ir_tensor *inputs, unsigned num_results, unsigned seed) {
  ir_tensor expected[MAX_VALUES], found[MAX_VALUES], all[MAX_VALUES];
  pass_options options = {.target = target, .verify = true, .fuse = true};
  ir_module *module = ir_module_create(show, NULL);
  cr_assert(ir_parse(module, "program", text, size));
  cr_assert(ir_interpret(module, "main", IR_PRECISION_DOUBLE, count, inputs, num_results, expected), "seed %u", seed);
  cr_assert(pass_run(module, passes, &options), "seed %u", seed);
  cr_assert(ir_interpret(module, "main", IR_PRECISION_DOUBLE, count, inputs, num_results, found), "seed %u", seed);
  for (unsigned i = 0; i < num_results; i++) {
    expect_same(&expected[i], &found[i], passes, seed);
    ir_tensor_release(&found[i]);
  }
  cr_assert(pass_run(module, "bufferize", &options), "seed %u", seed);
  for (unsigned i = 0; i < count; i++)
    all[i] = inputs[i];
  for (unsigned i = 0; i < num_results; i++) {
    all[count + i] = expected[i];
    cr_assert(ir_tensor_allocate(&all[count + i]));
  }
  cr_assert(ir_interpret(module, "main", IR_PRECISION_DOUBLE, count + num_results, all, 0, NULL), "seed %u", seed);
  for (unsigned i = 0; i < num_results; i++) {
    expect_same(&expected[i], &all[count + i], "bufferize", seed);
    ir_tensor_release(&all[count + i]);
    ir_tensor_release(&expected[i]);
  }
  ir_module_destroy(module);
}

static void compare_random(const generate_options *options, const char *passes) {
  for (unsigned seed = 1; seed <= NUM_SEEDS; seed++) {
    generated_program program;
    cr_assert(generate_program(seed, options, &program));
    ir_module *module = ir_module_create(show, NULL);
    cr_assert(ir_parse(module, "program", program.text, program.size));
    ir_tensor inputs[MAX_VALUES];
    fill_inputs(module, inputs, program.num_arguments, (const int64_t(*)[4])program.shapes);
    ir_module_destroy(module);
    compare(program.text, program.size, passes, NULL, program.num_arguments, inputs, program.num_results, seed);
    for (unsigned i = 0; i < program.num_arguments; i++)
      ir_tensor_release(&inputs[i]);
    free(program.text);
  }
}

Test(decompose, random_programs) { compare_random(&(generate_options){0}, "decompose-softmax"); }

Test(decompose, dynamic_extents) { compare_random(&(generate_options){.dynamic = true}, "decompose-softmax,simplify"); }

Test(decompose, fused_programs) { compare_random(&(generate_options){.script = true}, "transform,decompose-softmax"); }

/* Online softmax of 3 rows over tiles of 2 scores, weights times values, with the results that `returns` names: the
 * scores themselves are the argument. */
static void compare_loop(const char *returns, const char *types, const target_facts *target, ir_tensor *inputs,
                         unsigned num_results) {
  static const char loop[] =
      "func.func @main(%%s: tensor<3x8xf32>, %%v: tensor<8x2xf32>) -> (%s) {\n"
      "  %%c0 = arith.constant 0 : index\n  %%c2 = arith.constant 2 : index\n  %%c8 = arith.constant 8 : index\n"
      "  %%zero = arith.constant 0.0 : f32\n  %%low = arith.constant 0xFF800000 : f32\n"
      "  %%er = tensor.empty() : tensor<3xf32>\n  %%eo = tensor.empty() : tensor<3x2xf32>\n"
      "  %%max = linalg.fill ins(%%low : f32) outs(%%er : tensor<3xf32>) -> tensor<3xf32>\n"
      "  %%sum = linalg.fill ins(%%zero : f32) outs(%%er : tensor<3xf32>) -> tensor<3xf32>\n"
      "  %%o = linalg.fill ins(%%zero : f32) outs(%%eo : tensor<3x2xf32>) -> tensor<3x2xf32>\n"
      "  %%r:3 = scf.for %%i = %%c0 to %%c8 step %%c2 iter_args(%%a = %%o, %%m = %%max, %%l = %%sum) -> "
      "(tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>) {\n"
      "    %%x = tensor.extract_slice %%s[0, %%i] [3, 2] [1, 1] : tensor<3x8xf32> to tensor<3x2xf32>\n"
      "    %%y = tensor.extract_slice %%v[%%i, 0] [2, 2] [1, 1] : tensor<8x2xf32> to tensor<2x2xf32>\n"
      "    %%p:4 = linalg_ext.softmax dimension(1) ins(%%x : tensor<3x2xf32>) outs(%%eo, %%m, %%l, %%er : "
      "tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>, "
      "tensor<3xf32>\n"
      "    %%ed = tensor.empty() : tensor<3x3xf32>\n"
      "    %%d = linalg_ext.diag ins(%%p#3 : tensor<3xf32>) outs(%%ed : tensor<3x3xf32>) : tensor<3x3xf32>\n"
      "    %%z = linalg.fill ins(%%zero : f32) outs(%%eo : tensor<3x2xf32>) -> tensor<3x2xf32>\n"
      "    %%b = linalg.matmul ins(%%d, %%a : tensor<3x3xf32>, tensor<3x2xf32>) outs(%%z : tensor<3x2xf32>) -> "
      "tensor<3x2xf32>\n"
      "    %%c = linalg.matmul ins(%%p#0, %%y : tensor<3x2xf32>, tensor<2x2xf32>) outs(%%b : tensor<3x2xf32>) -> "
      "tensor<3x2xf32>\n"
      "    scf.yield %%c, %%p#1, %%p#2 : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>\n  }\n"
      "  return %s : %s\n}\n";
  char text[3000];
  int size = snprintf(text, sizeof text, loop, types, returns, types);
  for (unsigned i = 0; i < 16; i++)
    inputs[1].cells[i].f = (double)i - 3;
  compare(text, (size_t)size, "decompose-softmax", target, 2, inputs, num_results, 0);
}

static void allocate(ir_tensor inputs[2]) {
  inputs[0] = (ir_tensor){.element = IR_F32, .rank = 2, .shape = {3, 8}};
  inputs[1] = (ir_tensor){.element = IR_F32, .rank = 2, .shape = {8, 2}};
  cr_assert(ir_tensor_allocate(&inputs[0]) && ir_tensor_allocate(&inputs[1]));
}

static void release(ir_tensor inputs[2]) {
  ir_tensor_release(&inputs[0]);
  ir_tensor_release(&inputs[1]);
}

/* Row 0 is masked in its first tile, row 1 everywhere. */
Test(decompose, masked_rows) {
  ir_tensor inputs[2];
  allocate(inputs);
  for (unsigned i = 0; i < 24; i++)
    inputs[0].cells[i].f = i < 2 || (i >= 8 && i < 16) ? -INFINITY : (double)i * 2 - 15;
  compare_loop("%r#0, %r#2", "tensor<3x2xf32>, tensor<3xf32>", NULL, inputs, 2);
  release(inputs);
}

/* A maximum that stays behind changes nothing: where scores rise slowly, in jumps, from the lowest number there is, and
 * not at all; and none does where the maximum or the sum are read. */
Test(decompose, lazy_maxima) {
  target_facts facts;
  ir_tensor inputs[2];
  cr_assert(target_find("nvptx:sm_80", &facts) && facts.has_vote);
  allocate(inputs);
  for (unsigned i = 0; i < 8; i++) {
    inputs[0].cells[i].f = 1.5 * i;
    inputs[0].cells[8 + i].f = i < 2 ? -FLT_MAX : 1000.0 * (i / 4);
    inputs[0].cells[16 + i].f = i < 4 ? -INFINITY : 12 - 1.5 * i;
  }
  compare_loop("%r#0", "tensor<3x2xf32>", &facts, inputs, 1);
  compare_loop("%r#0, %r#1", "tensor<3x2xf32>, tensor<3xf32>", &facts, inputs, 2);
  compare_loop("%r#0, %r#2", "tensor<3x2xf32>, tensor<3xf32>", &facts, inputs, 2);
  release(inputs);
}
