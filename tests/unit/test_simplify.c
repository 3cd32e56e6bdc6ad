/* test_simplify.c - the pass "simplify": what it folds, merges, hoists and drops, and what it must leave. */
#include "ir/text.h"
#include "passes/pass.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ir_module *module;
static char *text;

static void show(void *user, ir_severity severity, const char *rendered) { fputs(rendered, stderr); }

static void set_up(void) { module = ir_module_create(show, NULL); }
static void tear_down(void) {
  free(text);
  text = NULL;
  ir_module_destroy(module);
}
TestSuite(simplify, .init = set_up, .fini = tear_down);

/* The simplified form of a module, in `text`. */
static void simplify(const char *source) {
  cr_assert(ir_parse(module, "test", source, strlen(source)));
  cr_assert(pass_run(module, "simplify", &(pass_options){.verify = true}));
  text = ir_print_module(module, &(ir_print_options){0}, NULL);
}

static unsigned count(const char *part) {
  unsigned found = 0;
  for (const char *at = text; (at = strstr(at, part)); at++)
    found++;
  return found;
}

#define expect(PART, COUNT)                                                                                            \
  cr_expect_eq(count(PART), COUNT, "%u times '%s', not %u:\n%s", count(PART), PART, COUNT, text)

Test(simplify, equal_ops_are_merged_where_they_are_visible) {
  simplify("func.func @f(%a: f32, %b: f32, %c: i1) -> (f32, f32) {\n"
           "  %0 = arith.addf %a, %b : f32\n"
           "  %1 = arith.addf %a, %b : f32\n"
           "  %2 = arith.mulf %0, %1 : f32\n"
           "  %3 = scf.if %c -> (f32) {\n"
           "    %4 = arith.mulf %0, %0 : f32\n"
           "    %5 = arith.subf %a, %b : f32\n"
           "    scf.yield %5 : f32\n"
           "  } else {\n"
           "    %6 = arith.subf %a, %b : f32\n"
           "    scf.yield %6 : f32\n"
           "  }\n"
           "  return %2, %3 : f32, f32\n"
           "}\n");
  expect("arith.addf", 1);
  expect("arith.mulf", 1);
  expect("arith.subf", 2);
}

Test(simplify, constants_are_pooled_at_the_top) {
  simplify("func.func @f(%m: memref<8xindex>) {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c8 = arith.constant 8 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  scf.for %i = %c0 to %c8 step %c1 {\n"
           "    %c5 = arith.constant 5 : index\n"
           "    %d = arith.constant 1 : index\n"
           "    %s = arith.addi %c5, %i : index\n"
           "    memref.store %s, %m[%d] : memref<8xindex>\n"
           "  }\n"
           "  return\n"
           "}\n");
  expect("arith.constant", 4);
  expect("arith.addi %arg1, %c5", 1);
  cr_expect_lt(strstr(text, "%c5 = arith.constant"), strstr(text, "scf.for"));
}

Test(simplify, what_a_loop_carries_only_for_itself_goes) {
  simplify("func.func @f(%a: tensor<8xf32>, %b: f32) -> tensor<8xf32> {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c8 = arith.constant 8 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %r:4 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %b, %t = %a, %y = %b, %z = %b)\n"
           "      -> (f32, tensor<8xf32>, f32, f32) {\n"
           "    %n = arith.mulf %y, %y : f32\n"
           "    %o = arith.subf %x, %y : f32\n"
           "    %u = tensor.insert %z into %t[%i] : tensor<8xf32>\n"
           "    scf.yield %o, %u, %n, %z : f32, tensor<8xf32>, f32, f32\n"
           "  }\n"
           "  return %r#1 : tensor<8xf32>\n"
           "}\n");
  expect("iter_args(%arg3 = %arg0) -> (tensor<8xf32>)", 1);
  expect("mulf", 0);
  expect("subf", 0);
  expect("tensor.insert %arg1 into %arg3", 1);
}

Test(simplify, loops_of_no_or_one_iteration_go) {
  simplify("func.func @f(%a: f32) -> (f32, f32) {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c3 = arith.constant 3 : index\n"
           "  %c4 = arith.constant 4 : index\n"
           "  %r = scf.for %i = %c0 to %c3 step %c4 iter_args(%x = %a) -> (f32) {\n"
           "    %n = arith.mulf %x, %x : f32\n"
           "    scf.yield %n : f32\n"
           "  }\n"
           "  %s = scf.for %i = %c3 to %c3 step %c4 iter_args(%x = %a) -> (f32) {\n"
           "    %n = arith.addf %x, %x : f32\n"
           "    scf.yield %n : f32\n"
           "  }\n"
           "  return %r, %s : f32, f32\n"
           "}\n");
  expect("scf.for", 0);
  expect("addf", 0);
  expect("mulf %arg0, %arg0", 1);
  expect("return %0, %arg0", 1);
}

Test(simplify, a_loop_of_two_iterations_stays) {
  simplify("func.func @f(%a: f32) -> f32 {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c4 = arith.constant 4 : index\n"
           "  %c5 = arith.constant 5 : index\n"
           "  %r = scf.for %i = %c0 to %c5 step %c4 iter_args(%x = %a) -> (f32) {\n"
           "    %n = arith.mulf %x, %x : f32\n"
           "    scf.yield %n : f32\n"
           "  }\n"
           "  return %r : f32\n"
           "}\n");
  expect("scf.for", 1);
}

Test(simplify, a_min_that_a_loop_decides_is_its_constant) {
  simplify("func.func @f(%m: memref<512xindex>) {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c512 = arith.constant 512 : index\n"
           "  %c4 = arith.constant 4 : index\n"
           "  scf.for %i = %c0 to %c512 step %c4 {\n"
           "    %s = affine.min affine_map<(d0) -> (4, -d0 + 512)>(%i)\n"
           "    memref.store %s, %m[%i] : memref<512xindex>\n"
           "    %t = affine.min affine_map<(d0) -> (4, -d0 + 510)>(%i)\n"
           "    memref.store %t, %m[%i] : memref<512xindex>\n"
           "    %u = affine.apply affine_map<(d0) -> (d0 mod 2 + d0 floordiv 512)>(%i)\n"
           "    memref.store %u, %m[%i] : memref<512xindex>\n"
           "  }\n"
           "  return\n"
           "}\n");
  expect("memref.store %c4", 1);
  expect("memref.store %c0", 1);
  expect("affine.min", 1);
  expect("affine.apply", 0);
}

Test(simplify, index_arithmetic_is_composed) {
  simplify("func.func @f(%a: index, %b: index) -> index {\n"
           "  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 4 + s0)>(%a)[%b]\n"
           "  %1 = affine.apply affine_map<(d0, d1) -> (d0 - d1)>(%0, %b)\n"
           "  %2 = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%1)\n"
           "  return %2 : index\n"
           "}\n");
  expect("return %arg0", 1);
  expect("affine", 0);
}

Test(simplify, dims_come_from_the_first_operand_that_shares_the_loop) {
  simplify("func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> (index, index) {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %c8 = arith.constant 8 : index\n"
           "  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %o) -> (tensor<?x?xf32>) {\n"
           "    %1 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)\n"
           "         outs(%t : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
           "    scf.yield %1 : tensor<?x?xf32>\n"
           "  }\n"
           "  %2 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)\n"
           "       outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
           "  %d0 = tensor.dim %2, %c0 : tensor<?x?xf32>\n"
           "  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>\n"
           "  return %d0, %d1 : index, index\n"
           "}\n");
  expect("tensor.dim %arg0, %c0", 1);
  expect("tensor.dim %arg2, %c1", 1);
  expect("linalg.matmul", 0);
}

Test(simplify, dims_that_a_slice_drops_are_not_taken_for_those_it_keeps) {
  simplify("func.func @f(%a: tensor<?x?x?xf32>, %n: index) -> index {\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %0 = tensor.extract_slice %a[0, 0, 0] [1, 1, %n] [1, 1, 1] : tensor<?x?x?xf32> to tensor<1x?xf32>\n"
           "  %d = tensor.dim %0, %c1 : tensor<1x?xf32>\n"
           "  return %d : index\n"
           "}\n");
  expect("return %arg1 : index", 1);
}

Test(simplify, slices_of_slices_fills_and_empties) {
  simplify("func.func @f(%a: tensor<16x16xf32>, %i: index) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<16x16xf32>) {\n"
           "  %z = arith.constant 0.0 : f32\n"
           "  %0 = tensor.extract_slice %a[%i, 4] [1, 12] [1, 1] : tensor<16x16xf32> to tensor<12xf32>\n"
           "  %1 = tensor.extract_slice %0[2] [4] [1] : tensor<12xf32> to tensor<4xf32>\n"
           "  %e = tensor.empty() : tensor<16x16xf32>\n"
           "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>\n"
           "  %2 = tensor.extract_slice %f[%i, %i] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>\n"
           "  %3 = tensor.extract_slice %a[0, %i] [16, 8] [1, 1] : tensor<16x16xf32> to tensor<16x8xf32>\n"
           "  %4 = tensor.insert_slice %3 into %a[0, %i] [16, 8] [1, 1] : tensor<16x8xf32> into tensor<16x16xf32>\n"
           "  return %1, %2, %4 : tensor<4xf32>, tensor<4x4xf32>, tensor<16x16xf32>\n"
           "}\n");
  expect("tensor.extract_slice %arg0[%arg1, 6] [1, 4] [1, 1] : tensor<16x16xf32> to tensor<4xf32>", 1);
  expect("extract_slice", 1);
  expect("insert_slice", 0);
  expect("outs(%0 : tensor<4x4xf32>)", 1);
  expect("tensor<16x16xf32>)\n", 0);
}

Test(simplify, memory_that_is_only_written_goes_and_other_effects_stay) {
  simplify("func.func @f(%a: memref<8xf32>, %z: f32) {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %c8 = arith.constant 8 : index\n"
           "  %m = memref.alloc() : memref<8xf32>\n"
           "  %n = memref.alloc() : memref<8xf32>\n"
           "  scf.for %i = %c0 to %c8 step %c1 {\n"
           "    memref.store %z, %m[%i] : memref<8xf32>\n"
           "    memref.store %z, %n[%i] : memref<8xf32>\n"
           "  }\n"
           "  %x = memref.load %n[%c0] : memref<8xf32>\n"
           "  memref.store %x, %a[%c0] : memref<8xf32>\n"
           "  memref.dealloc %m : memref<8xf32>\n"
           "  memref.dealloc %n : memref<8xf32>\n"
           "  return\n"
           "}\n");
  expect("memref.alloc", 1);
  expect("memref.dealloc", 1);
  expect("memref.store", 2);
}

Test(simplify, only_scalars_leave_loops) {
  simplify("func.func @f(%a: tensor<8xf32>, %b: f32) -> tensor<8xf32> {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %c8 = arith.constant 8 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %a) -> (tensor<8xf32>) {\n"
           "    %n = arith.mulf %b, %b : f32\n"
           "    %e = tensor.empty() : tensor<8xf32>\n"
           "    %g = linalg.fill ins(%n : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>\n"
           "    %o = linalg.add ins(%t, %g : tensor<8xf32>, tensor<8xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>\n"
           "    scf.yield %o : tensor<8xf32>\n"
           "  }\n"
           "  return %r : tensor<8xf32>\n"
           "}\n");
  cr_expect_lt(strstr(text, "arith.mulf"), strstr(text, "scf.for"));
  cr_expect_gt(strstr(text, "linalg.fill"), strstr(text, "scf.for"));
}

Test(simplify, the_result_is_simple) {
  const char *source = "func.func @f(%a: index, %b: index) -> index {\n"
                       "  %c3 = arith.constant 3 : index\n"
                       "  %0 = arith.muli %c3, %a : index\n"
                       "  %1 = affine.min affine_map<(d0, d1)[s0] -> (d0, d1, s0 floordiv 2)>(%a, %0)[%b]\n"
                       "  return %1 : index\n"
                       "}\n";
  simplify(source);
  char *once = text;
  cr_assert(pass_run(module, "simplify", &(pass_options){0}));
  text = ir_print_module(module, &(ir_print_options){0}, NULL);
  cr_expect_str_eq(once, text);
  free(once);
}

/* Long chains, many equal ops, and many loops: linear, so it ends well within a second even in slow builds. */
Test(simplify, a_hundred_thousand_ops_take_linear_time) {
  enum { OPS = 100000 };
  char *source = malloc(OPS * 64 + 256), *at = source;
  at += sprintf(at, "func.func @f(%%0: f32) -> f32 {\n");
  for (unsigned i = 1; i <= OPS; i++)
    at += sprintf(at, i % 3 ? "  %%%u = arith.addf %%%u, %%%u : f32\n" : "  %%%u = arith.constant 2.0 : f32\n", i,
                  i % 3 == 1 && i > 1 ? i - 2 : i - 1, i / 2 ? i - 1 : 0);
  sprintf(at, "  return %%%u : f32\n}\n", OPS);
  clock_t start = clock();
  simplify(source);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  cr_expect_lt(seconds, 5, "%g s", seconds);
  free(source);
}
