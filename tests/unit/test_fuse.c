/* test_fuse.c - tiling and fusion never change a number, and fuse what they can.
 *
 * Each program runs through the interpreter in double precision before and after its transform script, with its
 * parallel loops as scf.forall too, and before and after the default schedule, on normal inputs whose logits have a
 * standard deviation of 4 and more. */
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 15 };

static char messages[1 << 14];

static void remember(void *user, ir_severity severity, const char *rendered) {
  strncat(messages, rendered, sizeof messages - strlen(messages) - 1);
}

static ir_module *parse(const char *text) {
  ir_module *module = ir_module_create(remember, NULL);
  cr_assert(ir_parse(module, "test", text, strlen(text)), "%s\n%s", messages, text);
  return module;
}

/* Runs the passes on `text`, compares @f with that of `plain`; the caller frees the resulting text. */
static char *transform(const char *plain, const char *text, const char *passes, bool fuse, int64_t extent) {
  static const target_facts target = {.name = "test", .threads = 2, .l1_bytes = 1 << 10, .l2_bytes = 1 << 12};
  pass_options options = {.target = &target, .verify = true, .fuse = fuse};
  const int64_t dims[] = {extent, extent, extent};
  check_options inputs = {.function = "f", .std = 1.5, .precision = IR_PRECISION_DOUBLE, .dims = dims, .num_dims = 3};
  ir_module *before = parse(plain), *after = parse(text);
  cr_assert(pass_run(after, passes, &options), "%s\n%s", messages, text);
  char *result = ir_print_module(after, &(ir_print_options){0}, NULL);
  check_report report = check_equivalent(before, after, &inputs);
  cr_assert(report.ok && report.largest_error < 1e-9, "%s: %s\n%s", passes, report.text, result);
  ir_module_destroy(before);
  ir_module_destroy(after);
  return result;
}

/* ------------------------------------------------------------------------------------------------------ programs */

/* A function @f and a script that fuses into its __root__; what the result must hold ("" is held by all), and what must
 * be remarked (NULL: nothing). */
static void check_at(const char *function, const char *script, const char *holds, const char *remark, int64_t extent) {
  static char text[MAX_TEXT];
  unsigned loops = 0;
  const char *sizes = strchr(strstr(script, "tile_sizes"), '[');
  for (const char *at = sizes; *at != ']'; at++)
    loops += (*at >= '1' && *at <= '9') && (at[-1] == '[' || at[-1] == ' ');
  const char *stop = strstr(function, "__stop__")
                         ? "  %stop = transform.structured.match attributes {__stop__} in %m : (!transform.any_op) -> "
                           "!transform.any_op\n"
                         : "";
  snprintf(text, sizeof text,
           "%s\ntransform.sequence failures(propagate) {\n^bb0(%%m: !transform.any_op):\n"
           "  %%root = transform.structured.match attributes {__root__} in %%m : (!transform.any_op) -> "
           "!transform.any_op\n%s"
           "  %%t, %%loops:%u = transform.structured.fuse_ext %%root%s {%s}\n"
           "  transform.structured.tile_loop_hint %%t : !transform.any_op\n  cleanup\n}\n",
           function, stop, loops, *stop ? ", %stop" : "", script);
  messages[0] = 0;
  char *fused = transform(function, text, "transform", true, extent);
  if (remark)
    cr_expect(strstr(messages, remark), "no '%s' in: %s\n%s", remark, messages, fused);
  else
    cr_expect_eq(messages[0], 0, "unexpected: %s\n%s", messages, fused);
  cr_expect(strstr(fused, holds), "no '%s' in\n%s", holds, fused);
  free(transform(function, text, "transform,simplify,parallelize,simplify", true, extent));
  char *scheduled = transform(function, function, "simplify,schedule,simplify", true, extent);
  cr_expect(strstr(scheduled, "scf.forall"), "%s", scheduled);
  free(transform(function, function, "simplify,schedule,simplify", false, extent));
  free(scheduled);
  free(fused);
}

static void check(const char *function, const char *script, const char *holds, const char *remark) {
  check_at(function, script, holds, remark, 19);
}

#define SCORES(M, N)                                                                                                   \
  "  %zero = arith.constant 0.0 : f32\n  %lowest = arith.constant 0xFF800000 : f32\n"                                  \
  "  %es = tensor.empty() : tensor<" #M "x" #N "xf32>\n  %ev = tensor.empty() : tensor<" #M "xf32>\n"                  \
  "  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<" #M "x" #N "xf32>) -> tensor<" #M "x" #N "xf32>\n"          \
  "  %s = linalg.matmul ins(%q, %k : tensor<" #M "x7xf32>, tensor<7x" #N "xf32>) outs(%s0 : tensor<" #M "x" #N         \
  "xf32>) -> tensor<" #M "x" #N "xf32>\n"                                                                              \
  "  %max = linalg.fill ins(%lowest : f32) outs(%ev : tensor<" #M "xf32>) -> tensor<" #M "xf32>\n"                     \
  "  %sum = linalg.fill ins(%zero : f32) outs(%ev : tensor<" #M "xf32>) -> tensor<" #M "xf32>\n"
#define SOFTMAX(X, MAX, SUM)                                                                                           \
  "  %p:4 = linalg_ext.softmax dimension(1) ins(" X " : tensor<17x23xf32>) outs(%es, " MAX ", " SUM                    \
  ", %ev : tensor<17x23xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>) : tensor<17x23xf32>, tensor<17xf32>, "   \
  "tensor<17xf32>, tensor<17xf32>\n"
#define OUTPUT                                                                                                         \
  "  %eo = tensor.empty() : tensor<17x5xf32>\n"                                                                        \
  "  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<17x5xf32>) -> tensor<17x5xf32>\n"
#define PRODUCT(P, C)                                                                                                  \
  "  %o = linalg.matmul {__root__} ins(" P ", %v : tensor<17x23xf32>, tensor<23x5xf32>) outs(" C                       \
  " : tensor<17x5xf32>) -> tensor<17x5xf32>\n"
#define ARGUMENTS "%q: tensor<17x7xf32>, %k: tensor<7x23xf32>, %v: tensor<23x5xf32>"
#define RETURN "  return %o : tensor<17x5xf32>\n}\n"
#define ATTENTION                                                                                                      \
  "func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(17, 23) SOFTMAX("%s", "%max", "%sum")                   \
      OUTPUT PRODUCT("%p#0", "%o0") RETURN

Test(fuse, attention_over_tiles_and_interchanges) {
  static const char *const scripts[] = {
      "tile_sizes = [4, 0, 8]",   "tile_sizes = [4, 0, 8], tile_interchange = [2, 1, 0]",
      "tile_sizes = [16, 0, 22]", "tile_sizes = [1, 0, 1]",
      "tile_sizes = [5, 0, 0]",   "tile_sizes = [0, 0, 6], tile_interchange = []",
      "tile_sizes = [64, 64, 3]",
  };
  for (unsigned i = 0; i < sizeof scripts / sizeof *scripts; i++)
    check(ATTENTION, scripts[i], "scf.for %", NULL);
}

Test(fuse, softmax_is_carried_through_the_loops) {
  check(ATTENTION, "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL);
  check(ATTENTION, "tile_sizes = [4, 0, 8]", "-> (tensor<17x5xf32>, tensor<17xf32>, tensor<17xf32>)", NULL);
}

Test(fuse, a_tiled_free_loop_would_update_the_state_twice) {
  check(ATTENTION, "tile_sizes = [4, 2, 8]", "linalg_ext.softmax dimension(1) ins(%",
        "a loop that it does not depend on would update its state again");
}

Test(fuse, an_init_that_is_not_zero_is_added_after_the_loops) {
  check("func.func @f(" ARGUMENTS ", %c: tensor<17x5xf32>) -> tensor<17x5xf32> {\n" SCORES(17, 23)
            SOFTMAX("%s", "%max", "%sum") PRODUCT("%p#0", "%c") RETURN,
        "tile_sizes = [4, 0, 8]", "linalg.add", NULL);
}

Test(fuse, a_running_state_may_start_anywhere) {
  check(
      "func.func @f(" ARGUMENTS ", %m: tensor<17xf32>) -> (tensor<17x5xf32>, tensor<17xf32>, tensor<17xf32>) {\n"
      "  %one = arith.constant 2.5 : f32\n" SCORES(
          17, 23) "  %two = linalg.fill ins(%one : f32) outs(%ev : tensor<17xf32>) -> tensor<17xf32>\n" SOFTMAX("%s",
                                                                                                                "%m",
                                                                                                                "%two")
          OUTPUT PRODUCT("%p#0",
                         "%o0") "  return %o, %p#1, %p#2 : tensor<17x5xf32>, tensor<17xf32>, tensor<17xf32>\n}\n",
      "tile_sizes = [4, 0, 8], tile_interchange = [2, 0, 1]", "linalg_ext.diag", NULL);
}

Test(fuse, a_scale_that_the_user_reads_keeps_softmax_outside) {
  check("func.func @f(" ARGUMENTS ") -> (tensor<17x5xf32>, tensor<17xf32>) {\n" SCORES(17, 23)
            SOFTMAX("%s", "%max", "%sum")
                OUTPUT PRODUCT("%p#0", "%o0") "  return %o, %p#3 : tensor<17x5xf32>, tensor<17xf32>\n}\n",
        "tile_sizes = [4, 0, 8]", "", "a consumer outside of the loops reads its running result");
}

Test(fuse, a_quotient_with_two_readers_keeps_softmax_outside) {
  check("func.func @f(" ARGUMENTS ") -> (tensor<17x5xf32>, tensor<17x23xf32>) {\n" SCORES(17, 23)
            SOFTMAX("%s", "%max", "%sum")
                OUTPUT PRODUCT("%p#0", "%o0") "  return %o, %p#0 : tensor<17x5xf32>, tensor<17x23xf32>\n}\n",
        "tile_sizes = [4, 0, 8]", "", "another reader");
}

Test(fuse, softmax_over_rows_is_no_softmax_over_keys) {
  check(
      "func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(
          17,
          23) "  %en = tensor.empty() : tensor<23xf32>\n"
              "  %max1 = linalg.fill ins(%lowest : f32) outs(%en : tensor<23xf32>) -> tensor<23xf32>\n"
              "  %sum1 = linalg.fill ins(%zero : f32) outs(%en : tensor<23xf32>) -> tensor<23xf32>\n"
              "  %p:4 = linalg_ext.softmax dimension(0) ins(%s : tensor<17x23xf32>) outs(%es, %max1, %sum1, %en : "
              "tensor<17x23xf32>, tensor<23xf32>, tensor<23xf32>, tensor<23xf32>) : tensor<17x23xf32>, tensor<23xf32>, "
              "tensor<23xf32>, tensor<23xf32>\n" OUTPUT PRODUCT("%p#0", "%o0") RETURN,
      "tile_sizes = [4, 0, 8]", "", "no softmax over the dimension that its consumer contracts");
}

Test(fuse, softmax_as_right_operand_scales_columns) {
  check(
      "func.func @f(%q: tensor<23x7xf32>, %k: tensor<7x17xf32>, %v: tensor<5x23xf32>) -> tensor<5x17xf32> {\n" SCORES(
          23,
          17) "  %en = tensor.empty() : tensor<17xf32>\n"
              "  %max1 = linalg.fill ins(%lowest : f32) outs(%en : tensor<17xf32>) -> tensor<17xf32>\n"
              "  %sum1 = linalg.fill ins(%zero : f32) outs(%en : tensor<17xf32>) -> tensor<17xf32>\n"
              "  %p:4 = linalg_ext.softmax dimension(0) ins(%s : tensor<23x17xf32>) outs(%es, %max1, %sum1, %en : "
              "tensor<23x17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>) : tensor<23x17xf32>, tensor<17xf32>, "
              "tensor<17xf32>, tensor<17xf32>\n"
              "  %eo = tensor.empty() : tensor<5x17xf32>\n"
              "  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<5x17xf32>) -> tensor<5x17xf32>\n"
              "  %o = linalg.matmul {__root__} ins(%v, %p#0 : tensor<5x23xf32>, tensor<23x17xf32>) outs(%o0 : "
              "tensor<5x17xf32>) "
              "-> tensor<5x17xf32>\n  return %o : tensor<5x17xf32>\n}\n",
      "tile_sizes = [0, 4, 8]", "linalg.generic", NULL);
}

#define CAST(OUT, IN, FROM, TO, OP)                                                                                    \
  "  %e" OUT " = tensor.empty() : tensor<17x23x" TO ">\n"                                                              \
  "  %" OUT                                                                                                            \
  " = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], "          \
  "iterator_types = [\"parallel\", \"parallel\"]} ins(%" IN " : tensor<17x23x" FROM ">) outs(%e" OUT                   \
  " : tensor<17x23x" TO ">) {\n  ^bb0(%a: " FROM ", %b: " TO "):\n    %c = " OP " %a : " FROM " to " TO                \
  "\n    linalg.yield %c : " TO "\n  } -> tensor<17x23x" TO ">\n"

Test(fuse, casts_between_softmax_and_product_are_seen_through) {
  check("func.func @f(%q: tensor<17x7xf16>, %k: tensor<7x23xf16>, %v: tensor<23x5xf16>) -> tensor<17x5xf32> {\n"
        "  %zero = arith.constant 0.0 : f32\n  %lowest = arith.constant 0xFF800000 : f32\n  %zh = arith.constant 0.0 : "
        "f16\n"
        "  %es = tensor.empty() : tensor<17x23xf32>\n  %ev = tensor.empty() : tensor<17xf32>\n"
        "  %eh = tensor.empty() : tensor<17x23xf16>\n"
        "  %h0 = linalg.fill ins(%zh : f16) outs(%eh : tensor<17x23xf16>) -> tensor<17x23xf16>\n"
        "  %h = linalg.matmul ins(%q, %k : tensor<17x7xf16>, tensor<7x23xf16>) outs(%h0 : tensor<17x23xf16>) -> "
        "tensor<17x23xf16>\n"
        "  %max = linalg.fill ins(%lowest : f32) outs(%ev : tensor<17xf32>) -> tensor<17xf32>\n"
        "  %sum = linalg.fill ins(%zero : f32) outs(%ev : tensor<17xf32>) -> tensor<17xf32>\n" CAST("wide", "h", "f16",
                                                                                                    "f32", "arith.extf")
            SOFTMAX("%wide", "%max", "%sum") CAST("t", "p#0", "f32", "f16", "arith.truncf") OUTPUT
        "  %o = linalg.matmul {__root__} ins(%t, %v : tensor<17x23xf16>, tensor<23x5xf16>) outs(%o0 : "
        "tensor<17x5xf32>) -> "
        "tensor<17x5xf32>\n" RETURN,
        "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL);
}

#define MASK(OUT, IN, CONDITION)                                                                                       \
  "  %" OUT                                                                                                            \
  " = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], "          \
  "iterator_types = [\"parallel\", \"parallel\"]} ins(%" IN                                                            \
  " : tensor<17x23xf32>) outs(%es : tensor<17x23xf32>) {\n  ^bb0(%a: f32, %b: f32):\n"                                 \
  "    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %n = arith.constant 9 : index\n"              \
  "    %c = arith.cmpi " CONDITION " : index\n    %r = arith.select %c, %lowest, %a : f32\n"                           \
  "    linalg.yield %r : f32\n  } -> tensor<17x23xf32>\n"

Test(fuse, masks_know_their_place_in_the_whole) {
  const char *causal = "func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(17, 23)
      MASK("m", "s", "sgt, %j, %i") SOFTMAX("%m", "%max", "%sum") OUTPUT PRODUCT("%p#0", "%o0") RETURN;
  check(causal, "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL);
  check(causal, "tile_sizes = [4, 0, 8], tile_interchange = [2, 1, 0]", "linalg_ext.diag", NULL);
}

Test(fuse, a_fully_masked_first_tile_and_masked_rows_do_no_harm) {
  check("func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(17, 23) MASK("m", "s", "slt, %j, %n")
            SOFTMAX("%m", "%max", "%sum") OUTPUT PRODUCT("%p#0", "%o0") RETURN,
        "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL);
  check("func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(17, 23) MASK("m", "s", "slt, %i, %n")
            SOFTMAX("%m", "%max", "%sum") OUTPUT PRODUCT("%p#0", "%o0") RETURN,
        "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL);
}

#define REDUCE(OUT, IN, INIT, OP)                                                                                      \
  "  %" OUT " = linalg.reduce ins(%" IN " : tensor<17x23xf32>) outs(%" INIT " : tensor<17xf32>) dimensions = [1]\n"    \
  "    (%a: f32, %b: f32) {\n      %c = " OP " %a, %b : f32\n      linalg.yield %c : f32\n    }\n"
#define ROWWISE(OUT, IN, ROW, CODE)                                                                                    \
  "  %" OUT " = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, "     \
  "affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%" IN ", %" ROW               \
  " : tensor<17x23xf32>, tensor<17xf32>) outs(%es : tensor<17x23xf32>) {\n  ^bb0(%a: f32, %b: f32, %c: f32):\n" CODE   \
  "    linalg.yield %r : f32\n  } -> tensor<17x23xf32>\n"

Test(fuse, pieces_of_softmax_are_not_repeated_for_each_tile_of_keys) {
  const char *pieces =
      "func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(17, 23) REDUCE("m", "s", "max", "arith.maximumf")
          ROWWISE("e", "s", "m", "    %d = arith.subf %a, %b : f32\n    %r = math.exp %d : f32\n")
              REDUCE("l", "e", "sum", "arith.addf") ROWWISE("p", "e", "l", "    %r = arith.divf %a, %b : f32\n")
                  OUTPUT PRODUCT("%p", "%o0") RETURN;
  check(pieces, "tile_sizes = [4, 0, 8], tile_interchange = [2, 1, 0]", "",
        "each tile of the root's reduction would repeat its own");
  check(pieces, "tile_sizes = [4, 0, 0]", "linalg.reduce ins(%", NULL);
}

Test(fuse, intermediate_results_leave_the_loops) {
  check("func.func @f(" ARGUMENTS ") -> (tensor<17x5xf32>, tensor<17x23xf32>, tensor<17x23xf32>) {\n" SCORES(17, 23)
            MASK("after", "s", "eq, %j, %i") SOFTMAX("%s", "%max", "%sum") OUTPUT PRODUCT(
                "%p#0", "%o0") "  return %o, %s, %after : tensor<17x5xf32>, tensor<17x23xf32>, tensor<17x23xf32>\n}\n",
        "tile_sizes = [4, 0, 8]", "iter_args(", NULL);
}

Test(fuse, stops_stay_outside) {
  check("func.func @f(" ARGUMENTS ") -> tensor<17x5xf32> {\n" SCORES(
            17, 23) "  %x = linalg.exp {__stop__} ins(%s : tensor<17x23xf32>) outs(%es : tensor<17x23xf32>) -> "
                    "tensor<17x23xf32>\n" OUTPUT PRODUCT("%x", "%o0") RETURN,
        "tile_sizes = [4, 0, 8]", "linalg.exp {__stop__} ins(%", NULL);
}

Test(fuse, diamonds_ask_once) {
  check(
      "func.func @f(%x: tensor<12x12xf32>) -> tensor<12x12xf32> {\n"
      "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : tensor<12x12xf32>\n"
      "  %a = linalg.exp ins(%x : tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>\n"
      "  %b = linalg.tanh ins(%a : tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>\n"
      "  %c = linalg.add ins(%a, %b : tensor<12x12xf32>, tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> "
      "tensor<12x12xf32>\n"
      "  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>\n"
      "  %d = linalg.matmul ins(%c, %b : tensor<12x12xf32>, tensor<12x12xf32>) outs(%z : tensor<12x12xf32>) -> "
      "tensor<12x12xf32>\n"
      "  %o = linalg.add {__root__} ins(%d, %c : tensor<12x12xf32>, tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> "
      "tensor<12x12xf32>\n  return %o : tensor<12x12xf32>\n}\n",
      "tile_sizes = [5, 0]", "linalg.exp ins(%", NULL);
}

Test(fuse, reshapes_slices_and_padding_are_fused) {
  check("func.func @f(%x: tensor<6x20xf32>) -> tensor<5x6x4xf32> {\n"
        "  %e = tensor.empty() : tensor<6x20xf32>\n  %t = tensor.empty() : tensor<5x6x4xf32>\n"
        "  %a = linalg.exp ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) -> tensor<6x20xf32>\n"
        "  %b = tensor.expand_shape %a [[0], [1, 2]] output_shape [6, 5, 4] : tensor<6x20xf32> into tensor<6x5x4xf32>\n"
        "  %c = linalg.transpose {__root__} ins(%b : tensor<6x5x4xf32>) outs(%t : tensor<5x6x4xf32>) permutation = [1, "
        "0, 2]\n"
        "  return %c : tensor<5x6x4xf32>\n}\n",
        "tile_sizes = [2, 4, 0]", "linalg.exp", NULL);
  check("func.func @f(%x: tensor<6x5x4xf32>) -> tensor<6x20xf32> {\n"
        "  %e = tensor.empty() : tensor<6x5x4xf32>\n  %t = tensor.empty() : tensor<6x20xf32>\n"
        "  %a = linalg.exp ins(%x : tensor<6x5x4xf32>) outs(%e : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>\n"
        "  %b = tensor.collapse_shape %a [[0], [1, 2]] : tensor<6x5x4xf32> into tensor<6x20xf32>\n"
        "  %c = linalg.tanh {__root__} ins(%b : tensor<6x20xf32>) outs(%t : tensor<6x20xf32>) -> tensor<6x20xf32>\n"
        "  return %c : tensor<6x20xf32>\n}\n",
        "tile_sizes = [4, 4]", "linalg.exp", NULL);
  check("func.func @f(%x: tensor<6x9xf32>) -> tensor<8x12xf32> {\n"
        "  %e = tensor.empty() : tensor<6x9xf32>\n  %t = tensor.empty() : tensor<8x12xf32>\n  %p = arith.constant 7.0 "
        ": f32\n"
        "  %a = linalg.exp ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>\n"
        "  %b = tensor.pad %a low[1, 3] high[2, 1] {\n  ^bb0(%i: index, %j: index):\n    tensor.yield %p : f32\n  } : "
        "tensor<6x9xf32> to tensor<9x13xf32>\n"
        "  %s = tensor.extract_slice %b[1, 0] [8, 12] [1, 1] : tensor<9x13xf32> to tensor<8x12xf32>\n"
        "  %c = linalg.tanh {__root__} ins(%s : tensor<8x12xf32>) outs(%t : tensor<8x12xf32>) -> tensor<8x12xf32>\n"
        "  return %c : tensor<8x12xf32>\n}\n",
        "tile_sizes = [3, 5]", "linalg.exp", NULL);
}

Test(fuse, dynamic_extents) {
  const char *dynamic =
      "func.func @f(%q: tensor<?x7xf32>, %k: tensor<7x?xf32>, %v: tensor<?x5xf32>) -> tensor<?x5xf32> {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %zero = arith.constant 0.0 : f32\n  %lowest = arith.constant 0xFF800000 : f32\n"
      "  %m = tensor.dim %q, %c0 : tensor<?x7xf32>\n  %n = tensor.dim %k, %c1 : tensor<7x?xf32>\n"
      "  %es = tensor.empty(%m, %n) : tensor<?x?xf32>\n"
      "  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
      "  %s = linalg.matmul ins(%q, %k : tensor<?x7xf32>, tensor<7x?xf32>) outs(%s0 : tensor<?x?xf32>) -> "
      "tensor<?x?xf32>\n"
      "  %m1 = tensor.dim %s, %c0 : tensor<?x?xf32>\n  %ev = tensor.empty(%m1) : tensor<?xf32>\n"
      "  %max = linalg.fill ins(%lowest : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>\n"
      "  %sum = linalg.fill ins(%zero : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>\n"
      "  %p:4 = linalg_ext.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%es, %max, %sum, %ev : tensor<?x?xf32>, "
      "tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>\n"
      "  %m2 = tensor.dim %p#0, %c0 : tensor<?x?xf32>\n  %eo = tensor.empty(%m2) : tensor<?x5xf32>\n"
      "  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x5xf32>) -> tensor<?x5xf32>\n"
      "  %o = linalg.matmul {__root__} ins(%p#0, %v : tensor<?x?xf32>, tensor<?x5xf32>) outs(%o0 : tensor<?x5xf32>) -> "
      "tensor<?x5xf32>\n  return %o : tensor<?x5xf32>\n}\n";
  for (int64_t extent = 0; extent < 20; extent += extent < 2 ? 1 : 6) {
    check_at(dynamic, "tile_sizes = [4, 0, 8]", "linalg_ext.diag", NULL, extent);
    check_at(dynamic, "tile_sizes = [4, 0, 8], tile_interchange = [2, 1, 0]", "affine.min", NULL, extent);
  }
}

/* -------------------------------------------------------------------------------------------------------- scripts */

static void expect_error(const char *step, const char *message) {
  static char text[MAX_TEXT];
  pass_options options = {.verify = true, .fuse = true};
  snprintf(text, sizeof text,
           "%stransform.sequence failures(propagate) {\n^bb0(%%m: !transform.any_op):\n"
           "  %%root = transform.structured.match attributes {__root__} in %%m : (!transform.any_op) -> "
           "!transform.any_op\n%s}\n",
           ATTENTION, step);
  messages[0] = 0;
  ir_module *module = ir_module_create(remember, NULL);
  cr_expect(!ir_parse(module, "test", text, strlen(text)) || !pass_run(module, "transform", &options));
  cr_expect_eq(module->num_errors, 1, "%s", messages);
  cr_expect(strstr(messages, message), "no '%s' in %s", message, messages);
  ir_module_destroy(module);
}

Test(fuse, scripts_are_told_what_is_wrong) {
  expect_error(
      "  %x = transform.structured.match attributes {nobody} in %m : (!transform.any_op) -> !transform.any_op\n",
      "matches no op");
  expect_error("  %t, %l:2 = transform.structured.fuse_ext %root {tile_sizes = [4]}\n", "1 loops");
  expect_error("  %t, %l:4 = transform.structured.fuse_ext %root {tile_sizes = [4, 1, 1, 1]}\n",
               "is about 4 loops, but 'linalg.matmul' has 3");
  expect_error("  %t, %l = transform.structured.fuse_ext %root {tile_sizes = [-4]}\n", "negative");
  expect_error("  %t, %l = transform.structured.fuse_ext %root {tile_sizes = [4], tile_interchange = [0, 0, 1]}\n",
               "permutation");
  expect_error("  %t, %l = transform.structured.fuse_ext %root {tile_sizes = [4]}\n"
               "  %u, %n = transform.structured.fuse_ext %root {tile_sizes = [2]}\n",
               "an earlier step has replaced");
}
