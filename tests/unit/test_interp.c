/* test_interp.c - what ops mean: small functions run in the interpreter and compared with numbers known otherwise. */
#include "tests/support/check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Parses a text and runs @f on arguments given as rows of doubles. */
typedef struct run {
  ir_module *module;
  ir_tensor arguments[8], results[8];
  unsigned num_arguments, num_results;
  bool done;
} run;

static char last_message[1024];
static void keep_message(void *user, ir_severity severity, const char *text) {
  if (severity == IR_ERROR)
    snprintf(last_message, sizeof last_message, "%s", text);
}

static run run_text(const char *text, ir_precision precision, const check_options *options) {
  run result = {.module = check_parse(text)};
  cr_assert(result.module, "does not parse");
  const ir_type *type = ir_attr_get(ir_module_lookup(result.module, "f"), "function_type")->type;
  result.num_arguments = type->num_inputs;
  result.num_results = type->num_results;
  cr_assert(check_arguments(result.module, options, type->num_inputs, result.arguments));
  result.module->diag = keep_message;
  result.done = ir_interpret(result.module, "f", precision, type->num_inputs, result.arguments, type->num_results,
                             result.results);
  return result;
}

static void finish(run *run) {
  for (unsigned i = 0; i < run->num_arguments; i++)
    ir_tensor_release(&run->arguments[i]);
  for (unsigned i = 0; i < run->num_results; i++)
    ir_tensor_release(&run->results[i]);
  ir_module_destroy(run->module);
}

static const check_options defaults = {.function = "f", .seed = 1};

/* Runs a function without arguments and compares all results with `expected`, in order. */
static void check_values(const char *text, unsigned count, const double *expected) {
  run run = run_text(text, IR_PRECISION_DECLARED, &defaults);
  cr_assert(run.done, "%s\n%s", text, last_message);
  unsigned next = 0;
  for (unsigned i = 0; i < run.num_results; i++) {
    int64_t size = 1;
    for (unsigned dim = 0; dim < run.results[i].rank; dim++)
      size *= run.results[i].shape[dim];
    for (int64_t k = 0; k < size; k++, next++) {
      ir_cell cell = run.results[i].cells[k];
      double value = ir_scalar_is_float(run.results[i].element) ? cell.f : (double)cell.i;
      cr_assert(next < count);
      cr_assert((isnan(value) && isnan(expected[next])) ||
                    (value == expected[next] && signbit(value) == signbit(expected[next])),
                "%s\nvalue %u is %.17g, not %.17g", text, next, value, expected[next]);
    }
  }
  cr_assert_eq(next, count);
  finish(&run);
}
#define CHECK(TEXT, ...) check_values(TEXT, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void check_fails(const char *text, const char *message) {
  last_message[0] = 0;
  run run = run_text(text, IR_PRECISION_DECLARED, &defaults);
  cr_assert(!run.done, "%s", text);
  cr_assert(strstr(last_message, message), "%s\nsays %s", text, last_message);
  cr_assert_eq(run.module->num_errors, 1);
  run.num_results = 0;
  finish(&run);
}

#define TWO(TYPE, A, B, OP)                                                                                            \
  "func.func @f() -> " TYPE " { %a = arith.constant " A " : " TYPE "\n%b = arith.constant " B " : " TYPE "\n%0 = " OP  \
  " %a, %b : " TYPE "\nreturn %0 : " TYPE " }"

Test(interp, float_extremes) {
  CHECK(TWO("f32", "-0.0", "0.0", "arith.maximumf"), 0.0);
  CHECK(TWO("f32", "-0.0", "0.0", "arith.minimumf"), -0.0);
  CHECK(TWO("f32", "0x7FC00000", "1.0", "arith.maximumf"), NAN);
  CHECK(TWO("f32", "0x7FC00000", "1.0", "arith.maxnumf"), 1);
  CHECK(TWO("f32", "0x7FC00000", "1.0", "arith.minnumf"), 1);
  CHECK(TWO("f32", "-7.5", "2.0", "arith.remf"), -1.5);
}

#define ONE(A, OP) "func.func @f() -> f64 { %a = arith.constant " A " : f64\n%0 = " OP " %a : f64\nreturn %0 : f64 }"
#define TELL(A, OP) "func.func @f() -> i1 { %a = arith.constant " A " : f32\n%0 = " OP " %a : f32\nreturn %0 : i1 }"

Test(interp, functions) {
  const double pi = 0x1.921fb54442d18p+1;
  CHECK(ONE("1000.0", "math.log10"), 3);
  CHECK(ONE("-0.0", "math.sinh"), -0.0);
  CHECK(ONE("0.0", "math.cosh"), 1);
  CHECK(ONE("-0.0", "math.tan"), -0.0);
  CHECK(ONE("-1.0", "math.asin"), -pi / 2);
  CHECK(ONE("-1.0", "math.acos"), pi);
  CHECK(ONE("1.5", "math.acos"), NAN);
  CHECK(ONE("0x7FF0000000000000", "math.atan"), pi / 2);
  CHECK(TWO("f64", "0.0", "-1.0", "math.atan2"), pi);
  CHECK(TWO("f64", "-1.0", "0.0", "math.atan2"), -pi / 2);
  CHECK(ONE("0xFFF0000000000000", "math.cbrt"), -INFINITY);
  CHECK(ONE("0xFFF0000000000000", "math.erfc"), 2);
  CHECK(TELL("0x7FC00000", "math.isnan"), -1);
  CHECK(TELL("0x7F800000", "math.isnan"), 0);
  CHECK(TELL("0xFF800000", "math.isinf"), -1);
  CHECK(TELL("0x7FC00000", "math.isinf"), 0);
  CHECK(TELL("0xFF800000", "math.isfinite"), 0);
  CHECK(TELL("0x7FC00000", "math.isfinite"), 0);
  CHECK(TELL("-1.0", "math.isfinite"), -1);
}

Test(interp, declared_results_are_rounded) {
  CHECK(TWO("f16", "2048.0", "1.0", "arith.addf"), 2048);
  CHECK(TWO("bf16", "256.0", "1.0", "arith.addf"), 256);
  CHECK(TWO("f32", "16777216.0", "1.0", "arith.addf"), 16777216);
  CHECK(TWO("f64", "16777216.0", "1.0", "arith.addf"), 16777217);
  CHECK(TWO("f16", "60000.0", "60000.0", "arith.addf"), INFINITY);
}

Test(interp, integers) {
  CHECK(TWO("i8", "127", "1", "arith.addi"), -128);
  CHECK(TWO("i8", "-7", "2", "arith.divsi"), -3);
  CHECK(TWO("i8", "-7", "2", "arith.floordivsi"), -4);
  CHECK(TWO("i8", "-7", "2", "arith.ceildivsi"), -3);
  CHECK(TWO("i8", "7", "2", "arith.ceildivsi"), 4);
  CHECK(TWO("i8", "-7", "-2", "arith.floordivsi"), 3);
  CHECK(TWO("i8", "-7", "2", "arith.remsi"), -1);
  CHECK(TWO("i8", "-1", "2", "arith.divui"), 127);
  CHECK(TWO("i8", "-1", "2", "arith.ceildivui"), -128);
  CHECK(TWO("i8", "-1", "5", "arith.ceildivui"), 51);
  CHECK(TWO("i8", "-1", "-2", "arith.ceildivui"), 2);
  CHECK(TWO("i8", "-1", "16", "arith.remui"), 15);
  CHECK(TWO("i8", "-1", "1", "arith.maxui"), -1);
  CHECK(TWO("i8", "-1", "1", "arith.minui"), 1);
  CHECK(TWO("i8", "-128", "4", "arith.shrui"), 8);
  CHECK(TWO("i8", "-128", "4", "arith.shrsi"), -8);
  CHECK(TWO("i8", "1", "9", "arith.shli"), 0);
  CHECK(TWO("i1", "1", "1", "arith.addi"), 0);
}

Test(interp, comparisons_and_casts) {
  CHECK("func.func @f() -> (i1, i1, i32, f32, i32, f64) { %m = arith.constant -1 : i8\n%o = arith.constant 1 : i8\n"
        "%t = arith.constant true\n%h = arith.constant 300.7 : f32\n"
        "%0 = arith.cmpi slt, %m, %o : i8\n%1 = arith.cmpi ult, %m, %o : i8\n%2 = arith.extui %t : i1 to i32\n"
        "%3 = arith.uitofp %t : i1 to f32\n%4 = arith.fptosi %h : f32 to i32\n%5 = arith.sitofp %m : i8 to f64\n"
        "return %0, %1, %2, %3, %4, %5 : i1, i1, i32, f32, i32, f64 }",
        -1, 0, 1, 1, 300, -1);
  CHECK(
      "func.func @f() -> (i1, i1, i1, i32, f32) { %n = arith.constant 0x7FC00000 : f32\n%o = arith.constant 1.0 : f32\n"
      "%0 = arith.cmpf une, %n, %o : f32\n%1 = arith.cmpf olt, %n, %o : f32\n%2 = arith.cmpf uno, %n, %n : f32\n"
      "%3 = arith.bitcast %o : f32 to i32\n%4 = arith.select %0, %o, %n : f32\n"
      "return %0, %1, %2, %3, %4 : i1, i1, i1, i32, f32 }",
      -1, 0, -1, 0x3F800000, 1);
}

Test(interp, undefined_quotients_are_reported) {
  check_fails(TWO("i8", "1", "0", "arith.divsi"), "division by zero");
  check_fails(TWO("i8", "1", "0", "arith.remui"), "division by zero");
  check_fails(TWO("i8", "-128", "-1", "arith.divsi"), "does not fit");
}

Test(interp, affine) {
  CHECK("func.func @f() -> (index, index, index) { %a = arith.constant -7 : index\n%b = arith.constant 3 : index\n"
        "%0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 2 + s0 * 10)>(%a)[%b]\n"
        "%1 = affine.min affine_map<(d0, d1) -> (d0, d1, 5)>(%a, %b)\n"
        "%2 = affine.max affine_map<(d0, d1) -> (d0 mod 4, d1)>(%a, %b)\nreturn %0, %1, %2 : index, index, index }",
        26, -7, 3);
}

Test(interp, slices_and_loops) {
  /* rows are summed into a carried tensor; the loop swaps two values */
  CHECK("func.func @f() -> (tensor<2x2xf32>, index) { %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
        "tensor<2x2xf32>\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%c3 = arith.constant 3 : index\n"
        "%r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x, %a = %c1, %b = %c2) -> (tensor<2x2xf32>, index, "
        "index) {\n"
        "  %s = tensor.extract_slice %t[0, 0] [1, 2] [1, 1] : tensor<2x2xf32> to tensor<1x2xf32>\n"
        "  %u = tensor.insert_slice %s into %t[1, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<2x2xf32>\n"
        "  %v = arith.addf %u, %x : tensor<2x2xf32>\n"
        "  scf.yield %v, %b, %a : tensor<2x2xf32>, index, index }\nreturn %r#0, %r#1 : tensor<2x2xf32>, index }",
        4, 8, 6, 10, 2);
}

Test(interp, values_do_not_change_under_their_readers) {
  CHECK("func.func @f() -> (tensor<2xf32>, tensor<2xf32>) { %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "%c0 = arith.constant 0 : index\n%e = arith.constant 5.0 : f32\n"
        "%y = tensor.insert %e into %x[%c0] : tensor<2xf32>\n%z = tensor.insert %e into %y[%c0] : tensor<2xf32>\n"
        "%w = arith.addf %z, %x : tensor<2xf32>\nreturn %x, %w : tensor<2xf32>, tensor<2xf32> }",
        1, 2, 6, 4);
}

Test(interp, reshapes) {
  CHECK("func.func @f() -> (tensor<4xf32>, tensor<2x1x2xf32>) { %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, "
        "6.0]]>"
        " : tensor<2x3xf32>\n%s = tensor.extract_slice %x[0, 1] [2, 2] [1, 1] : tensor<2x3xf32> to tensor<2x2xf32>\n"
        "%c = tensor.collapse_shape %s [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>\n"
        "%e = tensor.expand_shape %s [[0], [1, 2]] output_shape [2, 1, 2] : tensor<2x2xf32> into tensor<2x1x2xf32>\n"
        "return %c, %e : tensor<4xf32>, tensor<2x1x2xf32> }",
        2, 3, 5, 6, 2, 3, 5, 6);
}

Test(interp, concatenation) {
  CHECK(
      "func.func @f() -> (f32, f32, f32, index) { %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
      "tensor<2x2xf32>\n"
      "%b = arith.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>\n%c0 = arith.constant 0 : index\n"
      "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n%c4 = arith.constant 4 : index\n"
      "%t = tensor.concat dim(1) %a, %b, %b : (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>\n"
      "%3 = tensor.dim %t, %c1 : tensor<2x?xf32>\n%x = arith.subi %c4, %c1 : index\n"
      "%0 = tensor.extract %t[%c1, %c1] : tensor<2x?xf32>\n%1 = tensor.extract %t[%c0, %c2] : tensor<2x?xf32>\n"
      "%2 = tensor.extract %t[%c1, %x] : tensor<2x?xf32>\nreturn %0, %1, %2, %3 : f32, f32, f32, index }",
      4, 5, 6, 4);
}

Test(interp, padding) {
  CHECK("func.func @f() -> tensor<2x4xf32> { %x = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
        "%p = tensor.pad %x low[0, 1] high[1, 1] { ^bb0(%i: index, %j: index):\n%z = arith.constant 9.0 : f32\n"
        "tensor.yield %z : f32 } : tensor<1x2xf32> to tensor<2x4xf32>\nreturn %p : tensor<2x4xf32> }",
        9, 1, 2, 9, 9, 9, 9, 9);
}

Test(interp, forall_iterations_do_not_see_each_other) {
  CHECK("func.func @f() -> tensor<3xf32> { %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
        "%r = scf.forall (%i) in (2) shared_outs(%o = %x) -> (tensor<3xf32>) {\n"
        "  %s = tensor.extract_slice %o[%i] [1] [1] : tensor<3xf32> to tensor<1xf32>\n"
        "  %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)\n"
        "  scf.forall.in_parallel { tensor.parallel_insert_slice %s into %o[%j] [1] [1] : tensor<1xf32> into "
        "tensor<3xf32> } }\nreturn %r : tensor<3xf32> }",
        1, 1, 2);
}

Test(interp, generic_bodies) {
  /* a causal mask from the loops, and a gather */
  CHECK("func.func @f() -> tensor<2x2xf32> { %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
        "%e = tensor.empty() : tensor<2x2xf32>\n"
        "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
        "\"parallel\"]}"
        " outs(%e : tensor<2x2xf32>) { ^bb0(%o: f32):\n %i = linalg.index 0 : index\n %j = linalg.index 1 : index\n"
        " %m = arith.cmpi sge, %i, %j : index\n %v = tensor.extract %x[%j, %i] : tensor<2x2xf32>\n"
        " %z = arith.constant -1.0 : f32\n %s = arith.select %m, %v, %z : f32\n linalg.yield %s : f32 }"
        " -> tensor<2x2xf32>\nreturn %r : tensor<2x2xf32> }",
        1, -1, 2, 4);
}

Test(interp, products_without_sign) {
  CHECK("func.func @f() -> (tensor<1x1xi32>, tensor<f32>) { %a = arith.constant dense<-1> : tensor<1x1xi8>\n"
        "%v = arith.constant dense<-2> : tensor<1xi8>\n%z = arith.constant dense<1> : tensor<1x1xi32>\n"
        "%s = arith.constant dense<0.5> : tensor<f32>\n%r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}"
        " ins(%a, %a : tensor<1x1xi8>, tensor<1x1xi8>) outs(%z : tensor<1x1xi32>) -> tensor<1x1xi32>\n"
        "%d = linalg.dot {cast = #linalg.type_fn<cast_unsigned>} ins(%v, %v : tensor<1xi8>, tensor<1xi8>)"
        " outs(%s : tensor<f32>) -> tensor<f32>\nreturn %r, %d : tensor<1x1xi32>, tensor<f32> }",
        255 * 255 + 1, 254 * 254 + .5);
}

Test(interp, online_softmax_in_two_steps_is_softmax) {
  const char *text =
      "func.func @f(%x: tensor<3x10xf64>) -> (tensor<3x10xf64>, tensor<3xf64>, tensor<3x10xf64>) {\n"
      "%e = tensor.empty() : tensor<3x10xf64>\n%w = linalg.softmax dimension(1) ins(%x : tensor<3x10xf64>) "
      "outs(%e : tensor<3x10xf64>) -> tensor<3x10xf64>\n"
      "%low = arith.constant dense<0xFFF0000000000000> : tensor<3xf64>\n%z = arith.constant dense<0.0> : "
      "tensor<3xf64>\n"
      "%a = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<3x10xf64> to tensor<3x4xf64>\n"
      "%b = tensor.extract_slice %x[0, 4] [3, 6] [1, 1] : tensor<3x10xf64> to tensor<3x6xf64>\n"
      "%e4 = tensor.empty() : tensor<3x4xf64>\n%e6 = tensor.empty() : tensor<3x6xf64>\n%es = tensor.empty() : "
      "tensor<3xf64>\n"
      "%p:4 = linalg_ext.softmax dimension(1) ins(%a : tensor<3x4xf64>) outs(%e4, %low, %z, %es : tensor<3x4xf64>, "
      "tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) : tensor<3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>\n"
      "%q:4 = linalg_ext.softmax dimension(1) ins(%b : tensor<3x6xf64>) outs(%e6, %p#1, %p#2, %es : tensor<3x6xf64>, "
      "tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) : tensor<3x6xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>\n"
      "%s = arith.constant dense<0.0> : tensor<3x10xf64>\n"
      "%s4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, "
      "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%p#0, %q#3 : tensor<3x4xf64>, "
      "tensor<3xf64>) outs(%e4 : tensor<3x4xf64>) { ^bb0(%u: f64, %v: f64, %o: f64):\n%m = arith.mulf %u, %v : f64\n"
      "linalg.yield %m : f64 } -> tensor<3x4xf64>\n"
      "%s1 = tensor.insert_slice %s4 into %s[0, 0] [3, 4] [1, 1] : tensor<3x4xf64> into tensor<3x10xf64>\n"
      "%s2 = tensor.insert_slice %q#0 into %s1[0, 4] [3, 6] [1, 1] : tensor<3x6xf64> into tensor<3x10xf64>\n"
      "return %w, %q#3, %s2 : tensor<3x10xf64>, tensor<3xf64>, tensor<3x10xf64> }";
  run run = run_text(text, IR_PRECISION_DOUBLE, &defaults);
  cr_assert(run.done, "%s", last_message);
  cr_assert_lt(check_difference(&run.results[0], &run.results[2]), 1e-14);
  for (int row = 0; row < 3; row++) {
    double sum = 0, max = -INFINITY;
    for (int k = 0; k < 10; k++)
      max = fmax(max, run.arguments[0].cells[row * 10 + k].f);
    for (int k = 0; k < 10; k++)
      sum += exp(run.arguments[0].cells[row * 10 + k].f - max);
    for (int k = 0; k < 10; k++)
      cr_assert_float_eq(run.results[0].cells[row * 10 + k].f, exp(run.arguments[0].cells[row * 10 + k].f - max) / sum,
                         1e-14);
  }
  finish(&run);
}

Test(interp, masked_rows_of_softmax_are_zero) {
  CHECK(
      "func.func @f() -> tensor<2x2xf32> { %x = arith.constant dense<[[0xFF800000, 0xFF800000], [0.0, 0xFF800000]]> : "
      "tensor<2x2xf32>\n%e = tensor.empty() : tensor<2x2xf32>\n%w = linalg.softmax dimension(1) ins(%x : "
      "tensor<2x2xf32>) "
      "outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn %w : tensor<2x2xf32> }",
      0, 0, 1, 0);
}

static const char *const layouts[] = {
    "affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>|5x7x9|5x9x6",
    "affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>|5x7x9|5x6x9",
    "affine_map<(b, i, j, k) -> (b, k, i)>, affine_map<(b, i, j, k) -> (b, k, j)>|5x9x7|5x9x6",
    "affine_map<(b, i, j, k) -> (k, b, i)>, affine_map<(b, i, j, k) -> (k, j, b)>|9x5x7|9x6x5",
};

/* The fast path of contractions gives what the loops over a body give, in both precisions. */
Test(interp, contractions_agree_with_their_loops) {
  for (unsigned i = 0; i < 4; i++)
    for (unsigned precision = 0; precision < 2; precision++) {
      char maps[256], a[32], b[32], text[4096];
      sscanf(layouts[i], "%255[^|]|%31[^|]|%31s", maps, a, b);
      snprintf(
          text, sizeof text,
          "func.func @f(%%a: tensor<%sxf32>, %%b: tensor<%sxf32>, %%c: tensor<5x7x6xf32>) -> (tensor<5x7x6xf32>, "
          "tensor<5x7x6xf32>) {\n#trait\n"
          "%%0 = linalg.generic {indexing_maps = [%s, affine_map<(b, i, j, k) -> (b, i, j)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} ins(%%a, %%b : tensor<%sxf32>, tensor<%sxf32>) "
          "outs(%%c : tensor<5x7x6xf32>) { ^bb0(%%x: f32, %%y: f32, %%z: f32):\n%%p = arith.mulf %%x, %%y : f32\n"
          "%%s = arith.addf %%z, %%p : f32\nlinalg.yield %%s : f32 } -> tensor<5x7x6xf32>\n"
          "%%1 = linalg.generic {indexing_maps = [%s, affine_map<(b, i, j, k) -> (b, i, j)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} ins(%%a, %%b : tensor<%sxf32>, tensor<%sxf32>) "
          "outs(%%c : tensor<5x7x6xf32>) { ^bb0(%%x: f32, %%y: f32, %%z: f32):\n%%p = arith.mulf %%x, %%y : f32\n"
          "%%n = arith.negf %%p : f32\n%%s = arith.subf %%z, %%n : f32\nlinalg.yield %%s : f32 } -> "
          "tensor<5x7x6xf32>\nreturn %%0, %%1 : tensor<5x7x6xf32>, tensor<5x7x6xf32> }",
          a, b, maps, a, b, maps, a, b);
      char *trait = strstr(text, "#trait\n");
      memset(trait, ' ', 6);
      run run = run_text(text, precision ? IR_PRECISION_DOUBLE : IR_PRECISION_DECLARED, &defaults);
      cr_assert(run.done, "%s", last_message);
      cr_assert_leq(check_difference(&run.results[0], &run.results[1]), precision ? 1e-13 : 0.0);
      finish(&run);
    }
}

Test(interp, memory) {
  CHECK("memref.global \"private\" constant @g : memref<2xf32> = dense<[1.0, 2.0]>\n"
        "func.func @f() -> (f32, f32) { %g = memref.get_global @g : memref<2xf32>\n%m = memref.alloc() : "
        "memref<3x2xf32>\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%s = memref.subview %m[1, 0] [1, 2] [1, 1] : memref<3x2xf32> to memref<2xf32, strided<[1], offset: 2>>\n"
        "memref.copy %g, %s : memref<2xf32> to memref<2xf32, strided<[1], offset: 2>>\n"
        "%0 = memref.load %m[%c1, %c0] : memref<3x2xf32>\n%1 = memref.load %m[%c0, %c0] : memref<3x2xf32>\n"
        "memref.dealloc %m : memref<3x2xf32>\nreturn %0, %1 : f32, f32 }",
        1, NAN);
}

Test(interp, bad_accesses_are_reported) {
  check_fails("func.func @f() -> f32 { %m = memref.alloc() : memref<2xf32>\n%c2 = arith.constant 2 : index\n"
              "%0 = memref.load %m[%c2] : memref<2xf32>\nreturn %0 : f32 }",
              "out of bounds");
  check_fails("func.func @f() -> f32 { %m = memref.alloc() : memref<2xf32>\n%c1 = arith.constant 1 : index\n"
              "memref.dealloc %m : memref<2xf32>\n%0 = memref.load %m[%c1] : memref<2xf32>\nreturn %0 : f32 }",
              "given back");
  check_fails("memref.global constant @g : memref<2xf32> = dense<1.0>\nfunc.func @f() { %g = memref.get_global @g : "
              "memref<2xf32>\n%c0 = arith.constant 0 : index\n%v = arith.constant 1.0 : f32\n"
              "memref.store %v, %g[%c0] : memref<2xf32>\nreturn }",
              "constant memory");
  check_fails(
      "func.func @f() -> tensor<?xf32> { %x = arith.constant dense<1.0> : tensor<4xf32>\n"
      "%c5 = arith.constant 5 : index\n%n = arith.addi %c5, %c5 : index\n%s = tensor.extract_slice %x[0] [%n] [1] : "
      "tensor<4xf32> to tensor<?xf32>\nreturn %s : tensor<?xf32> }",
      "leaves dim 0");
  check_fails(
      "func.func @f() -> f32 { %n = arith.constant 4611686018427387904 : index\n%c0 = arith.constant 0 : index\n"
      "%m = memref.alloc(%n) : memref<?xf32>\n%0 = memref.load %m[%c0] : memref<?xf32>\nreturn %0 : f32 }",
      "more memory");
  check_fails("func.func @f() { %c0 = arith.constant 0 : index\n%s = arith.subi %c0, %c0 : index\n"
              "scf.for %i = %c0 to %c0 step %s { }\nreturn }",
              "must be positive");
}

Test(interp, transfers) {
  /* a transposed read that leaves the source, and a masked write */
  CHECK("func.func @f() -> (vector<2x3xf32>, tensor<3xf32>) {\n"
        "%x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%p = arith.constant 9.0 : f32\n"
        "%v = vector.transfer_read %x[%c0, %c1], %p {in_bounds = [true, false], permutation_map = affine_map<(i, j) -> "
        "(j, i)>}"
        " : tensor<2x3xf32>, vector<2x3xf32>\n"
        "%w = vector.extract %v[0] : vector<3xf32> from vector<2x3xf32>\n"
        "%z = arith.constant dense<0.0> : tensor<3xf32>\n%m = vector.create_mask %c2 : vector<3xi1>\n"
        "%t = vector.transfer_write %w, %z[%c0], %m {in_bounds = [true]} : vector<3xf32>, tensor<3xf32>\n"
        "return %v, %t : vector<2x3xf32>, tensor<3xf32> }",
        2, 5, 9, 3, 6, 9, 2, 5, 0);
}

/* Each column of the right factor is two terms side by side in each row. */
Test(interp, tiles) {
  CHECK("memref.global @a : memref<2x4xbf16> = dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, -1.0]]>\n"
        "memref.global @b : memref<3x4xbf16> = dense<[[9.0, 9.0, 9.0, 9.0], [1.0, 2.0, 10.0, 20.0], [3.0, 4.0, 30.0, "
        "40.0]]>\n"
        "func.func @f() -> vector<3x3xf32> {\n"
        "%i = arith.constant 0 : index\n%j = arith.constant 1 : index\n%p = arith.constant 0.5 : f32\n"
        "%a = memref.get_global @a : memref<2x4xbf16>\n%b = memref.get_global @b : memref<3x4xbf16>\n"
        "%c = memref.alloc() : memref<3x3xf32>\nlinalg.fill ins(%p : f32) outs(%c : memref<3x3xf32>)\n"
        "%x = amx.tile_load %a[%i, %i] : memref<2x4xbf16> into !amx.tile<2x4xbf16>\n"
        "%y = amx.tile_load %b[%j, %i] : memref<3x4xbf16> into !amx.tile<2x4xbf16>\n"
        "%z = amx.tile_zero : !amx.tile<2x2xf32>\n"
        "%s = amx.tile_mulf %x, %y, %z : !amx.tile<2x4xbf16>, !amx.tile<2x4xbf16>, !amx.tile<2x2xf32>\n"
        "%t = amx.tile_mulf %x, %y, %s : !amx.tile<2x4xbf16>, !amx.tile<2x4xbf16>, !amx.tile<2x2xf32>\n"
        "amx.tile_store %c[%j, %i], %t : memref<3x3xf32>, !amx.tile<2x2xf32>\n"
        "%v = vector.transfer_read %c[%i, %i], %p : memref<3x3xf32>, vector<3x3xf32>\n"
        "memref.dealloc %c : memref<3x3xf32>\nreturn %v : vector<3x3xf32> }",
        0.5, 0.5, 0.5, 60, 600, 0.5, -4, -40, 0.5);
  check_fails("func.func @f() { %c = memref.alloc() : memref<3x3xf32>\n%i = arith.constant 2 : index\n"
              "%z = amx.tile_zero : !amx.tile<2x2xf32>\n"
              "amx.tile_store %c[%i, %i], %z : memref<3x3xf32>, !amx.tile<2x2xf32>\nreturn }",
              "subscript 2 is out of bounds: dim 0 has extent 3, the tile 2");
}

Test(interp, vectors) {
  CHECK("func.func @f() -> (vector<2x2xf32>, vector<2xf32>, f32, vector<3xindex>) {\n"
        "%x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>\n"
        "%z = arith.constant dense<1.0> : vector<2x2xf32>\n%y = arith.constant dense<0.0> : vector<2xf32>\n"
        "%0 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
        "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
        "#vector.kind<add>} %x, %x, %z : vector<2x2xf32>, vector<2x2xf32> into vector<2x2xf32>\n"
        "%1 = vector.multi_reduction <maximumf>, %x, %y [0] : vector<2x2xf32> to vector<2xf32>\n"
        "%c = arith.constant 10.0 : f32\n%2 = vector.multi_reduction <add>, %x, %c [0, 1] : vector<2x2xf32> to f32\n"
        "%3 = vector.step : vector<3xindex>\nreturn %0, %1, %2, %3 : vector<2x2xf32>, vector<2xf32>, f32, "
        "vector<3xindex> }",
        6, 12, 12, 26, 3, 4, 20, 0, 1, 2);
  CHECK("func.func @f() -> vector<4xi32> {\n%a = arith.constant dense<[5, 6, 7]> : vector<3xi32>\n"
        "%b = arith.constant dense<[8, 9]> : vector<2xi32>\n"
        "%0 = vector.shuffle %a, %b [4, 2, 2, 0] : vector<3xi32>, vector<2xi32>\nreturn %0 : vector<4xi32> }",
        9, 7, 7, 5);
}

/* Updates are slices from the place on that the indices give, one after the other; columns go where the map says. */
Test(interp, scatters) {
  CHECK("func.func @f() -> (tensor<4x2xf32>, tensor<3x3xi64>) {\n"
        "%rows = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
        "%places = arith.constant dense<[[2], [0], [2]]> : tensor<3x1xi32>\n"
        "%into = arith.constant dense<10.0> : tensor<4x2xf32>\n"
        "%0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%rows, %places : "
        "tensor<3x2xf32>, tensor<3x1xi32>) outs(%into : tensor<4x2xf32>) {\n^bb0(%update: f32, %old: f32):\n"
        "%sum = arith.subf %update, %old : f32\ntm_tensor.yield %sum : f32 } -> tensor<4x2xf32>\n"
        "%blocks = arith.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi64>\n"
        "%corners = arith.constant dense<[[2, 0], [0, 1]]> : tensor<2x2xi64>\n"
        "%zeros = arith.constant dense<0> : tensor<3x3xi64>\n"
        "%1 = tm_tensor.scatter {dimension_map = array<i64: 1, 0>} unique_indices(true) ins(%blocks, %corners : "
        "tensor<2x2x1xi64>, tensor<2x2xi64>) outs(%zeros : tensor<3x3xi64>) {\n^bb0(%update: i64, %old: i64):\n"
        "tm_tensor.yield %update : i64 } -> tensor<3x3xi64>\n"
        "return %0, %1 : tensor<4x2xf32>, tensor<3x3xi64> }",
        -7, -6, 10, 10, 14, 14, 10, 10, /* then by column and row */ 0, 0, 1, 3, 0, 2, 4, 0, 0);
  check_fails("func.func @f() -> tensor<4xf32> {\n%rows = arith.constant dense<1.0> : tensor<1x2xf32>\n"
              "%places = arith.constant dense<3> : tensor<1x1xi64>\n%into = arith.constant dense<0.0> : tensor<4xf32>\n"
              "%0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%rows, %places : "
              "tensor<1x2xf32>, tensor<1x1xi64>) outs(%into : tensor<4xf32>) {\n^bb0(%update: f32, %old: f32):\n"
              "tm_tensor.yield %update : f32 } -> tensor<4xf32>\nreturn %0 : tensor<4xf32> }",
              "update 0 begins at 3 along dim 0 and leaves it, which has extent 4");
}

Test(interp, scans) {
#define SCAN(INCLUSIVE)                                                                                                \
  "func.func @f() -> (tensor<3x2xi64>, tensor<2xi64>) {\n"                                                             \
  "%x = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>\n"                                            \
  "%out = arith.constant dense<0> : tensor<3x2xi64>\n%start = arith.constant dense<[100, 200]> : tensor<2xi64>\n"      \
  "%0:2 = tm_tensor.scan dimension(0) inclusive(" INCLUSIVE ") ins(%x : tensor<3x2xi64>) outs(%out, %start : "         \
  "tensor<3x2xi64>, tensor<2xi64>) {\n^bb0(%before: i64, %next: i64):\n%d = arith.subi %before, %next : i64\n"         \
  "tm_tensor.yield %d : i64 } -> tensor<3x2xi64>, tensor<2xi64>\n"                                                     \
  "return %0#0, %0#1 : tensor<3x2xi64>, tensor<2xi64> }"
  CHECK(SCAN("true"), 99, 198, 96, 194, 91, 188, 91, 188);
  CHECK(SCAN("false"), 100, 200, 99, 198, 96, 194, 91, 188);
#undef SCAN
}

/* Equal elements keep their order, whether the body says of both that they go first or of neither; NaN is the
 * largest. */
Test(interp, sorts) {
#define SORT(PREDICATE)                                                                                                \
  "func.func @f() -> (tensor<6xf32>, tensor<6xi8>) {\n"                                                                \
  "%x = arith.constant dense<[2.0, 0x7FC00000, 1.0, 2.0, 0x7FC00000, -0.0]> : tensor<6xf32>\n"                         \
  "%y = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi8>\n"                                                     \
  "%0:2 = tm_tensor.sort dimension(0) outs(%x, %y : tensor<6xf32>, tensor<6xi8>) {\n"                                  \
  "^bb0(%a: f32, %b: f32, %i: i8, %j: i8):\n%c = arith.cmpf " PREDICATE " : f32\ntm_tensor.yield %c : i1 } -> "        \
  "tensor<6xf32>, tensor<6xi8>\nreturn %0#0, %0#1 : tensor<6xf32>, tensor<6xi8> }"
  CHECK(SORT("oge, %a, %b"), (double)NAN, (double)NAN, 2, 2, 1, -0.0, 2, 5, 1, 4, 3, 6);
  CHECK(SORT("ult, %b, %a"), (double)NAN, (double)NAN, 2, 2, 1, -0.0, 2, 5, 1, 4, 3, 6);
  CHECK(SORT("olt, %a, %b"), -0.0, 1, 2, 2, (double)NAN, (double)NAN, 6, 3, 1, 4, 2, 5);
  CHECK(SORT("ule, %a, %b"), -0.0, 1, 2, 2, (double)NAN, (double)NAN, 6, 3, 1, 4, 2, 5);
#undef SORT
}
