/* test_raise.c - softmax is found in its spellings, what only looks alike is left, and the numbers stay. */
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pieces of programs over x : tensor<6x9xf32>; the softmax runs along dim 1. */
#define MAPS                                                                                                           \
  "#id = affine_map<(d0, d1) -> (d0, d1)>\n#row = affine_map<(d0, d1) -> (d0)>\n"                                      \
  "#column = affine_map<(d0, d1) -> (d1)>\n#one = affine_map<(d0, d1) -> (d0, 0)>\n#line = affine_map<(d0) -> (d0)>\n"
#define HEAD                                                                                                           \
  MAPS "func.func @f(%x: tensor<6x9xf32>, %r: tensor<6xf32>, %c: tensor<9xf32>, %w: tensor<6x9xf32>) -> "              \
       "tensor<6x9xf32> {\n"                                                                                           \
       "%zero = arith.constant 0.0 : f32\n%unit = arith.constant 1.0 : f32\n%inf = arith.constant 0xFF800000 : f32\n"  \
       "%log2e = arith.constant 1.44269504 : f32\n"                                                                    \
       "%e = tensor.empty() : tensor<6x9xf32>\n%er = tensor.empty() : tensor<6xf32>\n"                                 \
       "%ec = tensor.empty() : tensor<9xf32>\n"                                                                        \
       "%fm = linalg.fill ins(%inf : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>\n"                                \
       "%fs = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>\n"                               \
       "%f1 = linalg.fill ins(%unit : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>\n"                               \
       "%fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<9xf32>) -> tensor<9xf32>\n"
#define TAIL(RESULT) "return " RESULT " : tensor<6x9xf32>\n}\n"
#define MAXIMUM                                                                                                        \
  "%m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%fm : tensor<6xf32>) dimensions = [1]\n"
/* NAME = BODY(a, b) element by element; b has the map and type given. */
#define MAP2(NAME, A, B, MAP, TYPE, BODY)                                                                              \
  NAME " = linalg.generic {indexing_maps = [#id, " MAP ", #id], iterator_types = [\"parallel\", \"parallel\"]} ins(" A \
       ", " B " : tensor<6x9xf32>, " TYPE ") outs(%e : tensor<6x9xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n" BODY    \
       "} -> tensor<6x9xf32>\n"
#define SHIFTED "%1 = arith.subf %a, %b : f32\n%2 = math.exp %1 : f32\nlinalg.yield %2 : f32\n"
#define EXP(SHIFT) MAP2("%p", "%x", SHIFT, "#row", "tensor<6xf32>", SHIFTED)
#define SUM_FROM(NAME, IN, INIT)                                                                                       \
  NAME " = linalg.reduce { arith.addf } ins(" IN " : tensor<6x9xf32>) outs(" INIT " : tensor<6xf32>) dimensions = "    \
       "[1]\n"
#define SUM SUM_FROM("%l", "%p", "%fs")
#define QUOTIENT "%1 = arith.divf %a, %b : f32\nlinalg.yield %1 : f32\n"
#define DIVIDE MAP2("%q", "%p", "%l", "#row", "tensor<6xf32>", QUOTIENT)

/* log(sum) + SHIFT for each row. */
#define LOG_SUM_EXP(SHIFT)                                                                                             \
  "%g = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = [\"parallel\"]} ins(%l, " SHIFT        \
  " : tensor<6xf32>, tensor<6xf32>) outs(%er : tensor<6xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n"                   \
  "%1 = math.log %a : f32\n%2 = arith.addf %1, %b : f32\nlinalg.yield %2 : f32\n} -> tensor<6xf32>\n"

typedef struct spelling {
  const char *name, *text;
} spelling;

static const spelling softmaxes[] = {
    {"maximum subtracted", HEAD MAXIMUM EXP("%m") SUM DIVIDE TAIL("%q")},
    {"nothing subtracted", HEAD MAP2("%p", "%x", "%r", "#row", "tensor<6xf32>",
                                     "%2 = math.exp %a : f32\nlinalg.yield %2 : f32\n") SUM DIVIDE TAIL("%q")},
    {"another row vector subtracted", HEAD EXP("%r") SUM DIVIDE TAIL("%q")},
    {"reciprocal", HEAD MAXIMUM EXP("%m") SUM
     "%i = linalg.generic {indexing_maps = [#line, #line], iterator_types = [\"parallel\"]} ins(%l : tensor<6xf32>) "
     "outs(%er : tensor<6xf32>) {\n^bb0(%a: f32, %o: f32):\n%1 = arith.divf %unit, %a : f32\nlinalg.yield %1 : f32\n} "
     "-> "
     "tensor<6xf32>\n" MAP2("%q", "%p", "%i", "#row", "tensor<6xf32>",
                            "%1 = arith.mulf %b, %a : f32\nlinalg.yield %1 : f32\n") TAIL("%q")},
    {"powers of two", HEAD MAXIMUM MAP2("%p", "%x", "%m", "#row", "tensor<6xf32>",
                                        "%1 = arith.subf %a, %b : f32\n%3 = arith.mulf %1, %log2e : f32\n"
                                        "%2 = math.exp2 %3 : f32\nlinalg.yield %2 : f32\n") SUM DIVIDE TAIL("%q")},
    {"exponentials computed twice", HEAD MAXIMUM
     "%l = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, "
     "%m : "
     "tensor<6x9xf32>, tensor<6xf32>) outs(%fs : tensor<6xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n"
     "%1 = arith.subf %a, %b : f32\n%2 = math.exp %1 : f32\n%3 = arith.addf %2, %o : f32\nlinalg.yield %3 : f32\n} -> "
     "tensor<6xf32>\n" EXP("%m") DIVIDE TAIL("%q")},
    {"kept dims", HEAD MAXIMUM
     "%k = tensor.expand_shape %m [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>\n" MAP2(
         "%p", "%x", "%k", "#one", "tensor<6x1xf32>", SHIFTED) SUM
     "%s = tensor.expand_shape %l [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>\n" MAP2(
         "%q", "%p", "%s", "#one", "tensor<6x1xf32>", QUOTIENT) TAIL("%q")},
    {"broadcast statistics", HEAD MAXIMUM
     "%k = linalg.broadcast ins(%m : tensor<6xf32>) outs(%e : tensor<6x9xf32>) dimensions = [1]\n"
     "%d = linalg.sub ins(%x, %k : tensor<6x9xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>\n"
     "%p = linalg.exp ins(%d : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>\n" SUM
     "%s = linalg.broadcast ins(%l : tensor<6xf32>) outs(%e : tensor<6x9xf32>) dimensions = [1]\n"
     "%q = linalg.div ins(%p, %s : tensor<6x9xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> "
     "tensor<6x9xf32>\n" TAIL("%q")},
    {"more in the same body", HEAD MAXIMUM EXP("%m") SUM
     "%q = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = [\"parallel\", \"parallel\"]} "
     "ins(%p, %l, "
     "%w : tensor<6x9xf32>, tensor<6xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) {\n"
     "^bb0(%a: f32, %b: f32, %d: f32, %o: f32):\n%1 = arith.divf %a, %b : f32\n%2 = arith.mulf %1, %d : f32\n"
     "linalg.yield %2 : f32\n} -> tensor<6x9xf32>\n" TAIL("%q")},
    {"a column vector in the argument",
     HEAD MAP2("%p", "%x", "%c", "#column", "tensor<9xf32>", SHIFTED) SUM DIVIDE TAIL("%q")},
    {"minus the log-sum-exp",
     HEAD MAXIMUM EXP("%m") SUM LOG_SUM_EXP("%m") MAP2("%q", "%x", "%g", "#row", "tensor<6xf32>", SHIFTED) TAIL("%q")},
    {"exponential of the logarithm",
     HEAD MAXIMUM EXP("%m")
         SUM MAP2("%d", "%x", "%m", "#row", "tensor<6xf32>", "%1 = arith.subf %a, %b : f32\nlinalg.yield %1 : f32\n")
             MAP2("%q", "%d", "%l", "#row", "tensor<6xf32>",
                  "%1 = math.log %b : f32\n%2 = arith.subf %a, %1 : f32\n"
                  "%3 = math.exp %2 : f32\nlinalg.yield %3 : f32\n") TAIL("%q")},
    {"half precision with single statistics", MAPS
     "func.func @f(%x: tensor<6x9xf16>) -> tensor<6x9xf16> {\n%zero = arith.constant 0.0 : f32\n"
     "%e = tensor.empty() : tensor<6x9xf32>\n%h = tensor.empty() : tensor<6x9xf16>\n%er = tensor.empty() : "
     "tensor<6xf32>\n"
     "%fs = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>\n"
     "%p = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : "
     "tensor<6x9xf16>) outs(%e : tensor<6x9xf32>) {\n^bb0(%a: f16, %o: f32):\n%1 = arith.extf %a : f16 to f32\n"
     "%2 = math.exp %1 : f32\nlinalg.yield %2 : f32\n} -> tensor<6x9xf32>\n" SUM
     "%q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%p, %l "
     ": "
     "tensor<6x9xf32>, tensor<6xf32>) outs(%h : tensor<6x9xf16>) {\n^bb0(%a: f32, %b: f32, %o: f16):\n"
     "%1 = arith.divf %a, %b : f32\n%2 = arith.truncf %1 : f32 to f16\nlinalg.yield %2 : f16\n} -> tensor<6x9xf16>\n"
     "return %q : tensor<6x9xf16>\n}\n"},
};

static const spelling others[] = {
    {"only the numerator is shifted",
     HEAD MAXIMUM EXP("%m") "%p1 = linalg.exp ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> "
                            "tensor<6x9xf32>\n" SUM_FROM("%l", "%p1", "%fs") DIVIDE TAIL("%q")},
    {"the sum starts at one", HEAD MAXIMUM EXP("%m") SUM_FROM("%l", "%p", "%f1") DIVIDE TAIL("%q")},
    {"the sum runs along the other dim",
     HEAD MAXIMUM EXP("%m") "%l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%fc : tensor<9xf32>) "
                            "dimensions = [0]\n" MAP2("%t", "%p", "%l", "#column", "tensor<9xf32>", QUOTIENT)
                                MAP2("%q", "%t", "%m", "#row", "tensor<6xf32>", SHIFTED) TAIL("%q")},
    {"a product, not a quotient",
     HEAD MAXIMUM EXP("%m") SUM MAP2("%q", "%p", "%l", "#row", "tensor<6xf32>",
                                     "%1 = arith.mulf %a, %b : f32\nlinalg.yield %1 : f32\n") TAIL("%q")},
    {"the quotient upside down",
     HEAD MAXIMUM EXP("%m") SUM MAP2("%q", "%p", "%l", "#row", "tensor<6xf32>",
                                     "%1 = arith.divf %b, %a : f32\nlinalg.yield %1 : f32\n") TAIL("%q")},
    {"minus the log-sum-exp, but for the shift",
     HEAD MAXIMUM EXP("%m") SUM LOG_SUM_EXP("%r") MAP2("%q", "%x", "%g", "#row", "tensor<6xf32>", SHIFTED) TAIL("%q")},
    {"no exponential",
     HEAD SUM_FROM("%l", "%x", "%fs") MAP2("%q", "%x", "%l", "#row", "tensor<6xf32>", QUOTIENT) TAIL("%q")},
    {"a maximum, not a sum", HEAD MAXIMUM EXP("%m") "%l = linalg.reduce { arith.maximumf } ins(%p : tensor<6x9xf32>) "
                                                    "outs(%fm : tensor<6xf32>) dimensions = [1]\n" DIVIDE TAIL("%q")},
};

static unsigned count_softmaxes(const ir_module *module) {
  unsigned count = 0;
  for (const ir_op *op = ir_region(ir_module_lookup(module, "f"), 0)->first; op; op = op->next)
    count += op->code == OP_LINALG_EXT_SOFTMAX;
  return count;
}

static void check(const spelling *program, unsigned softmaxes_wanted, double tolerance) {
  ir_module *before = check_parse(program->text), *after = check_parse(program->text);
  cr_assert(before && after, "%s: does not parse", program->name);
  pass_options options = {.verify = true, .fuse = true};
  cr_assert(pass_run(after, "simplify,raise,simplify", &options), "%s", program->name);
  cr_assert_eq(count_softmaxes(after), softmaxes_wanted, "%s: %u", program->name, count_softmaxes(after));
  check_options how = {.function = "f", .seed = 3, .std = 4, .precision = IR_PRECISION_DOUBLE};
  check_report report = check_equivalent(before, after, &how);
  cr_assert(report.ok && report.largest_error < tolerance, "%s: %s", program->name, report.text);
  ir_module_destroy(before);
  ir_module_destroy(after);
}

Test(raise, softmax_is_found_however_it_is_spelled) {
  for (unsigned i = 0; i < sizeof softmaxes / sizeof *softmaxes; i++) /* log2(e) above has nine digits */
    check(&softmaxes[i], 1, strstr(softmaxes[i].text, "exp2") ? 1e-6 : 1e-12);
}

Test(raise, what_only_looks_like_softmax_is_left_alone) {
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    check(&others[i], 0, 1e-12);
}

Test(raise, a_log_sum_exp_takes_the_statistics_of_the_softmax) {
  static const char text[] =
      HEAD MAXIMUM EXP("%m") SUM DIVIDE MAP2("%t", "%q", "%l", "#row", "tensor<6xf32>",
                                             "%1 = math.log %b : f32\n%2 = arith.addf %a, %1 : f32\n"
                                             "linalg.yield %2 : f32\n")
          MAP2("%u", "%t", "%m", "#row", "tensor<6xf32>", "%1 = arith.addf %a, %b : f32\nlinalg.yield %1 : f32\n")
              TAIL("%u");
  spelling program = {"log-sum-exp", text};
  check(&program, 1, 1e-12);
  ir_module *module = check_parse(text);
  pass_options options = {.verify = true};
  cr_assert(pass_run(module, "simplify,raise,simplify", &options));
  char *printed = ir_print_module(module, NULL, NULL);
  cr_assert_null(strstr(printed, "linalg.reduce"), "%s", printed);
  free(printed);
  ir_module_destroy(module);
}
