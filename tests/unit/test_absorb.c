/* test_absorb.c - what only moves data between products goes away, elementwise ops become one, factors leave the keys;
 * what only looks alike stays; the numbers are the same in all cases. */
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/check.h"

#include <criterion/criterion.h>
#include <string.h>

#define PARALLEL3 "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]"
#define MAPS                                                                                                           \
  "#id3 = affine_map<(a, b, c) -> (a, b, c)>\n#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>\n"                       \
  "#t3 = affine_map<(a, b, c) -> (a, c, b)>\n#skip4 = affine_map<(a, b, c, d) -> (a, c, d)>\n"                         \
  "#row3 = affine_map<(a, b, c) -> (a, b)>\n#keep3 = affine_map<(a, b, c) -> (a, b, 0)>\n"                             \
  "#last3 = affine_map<(a, b, c) -> (c)>\n#id1 = affine_map<(a) -> (a)>\n"                                             \
  "#bmk = affine_map<(b, m, n, k) -> (b, m, k)>\n#bnk = affine_map<(b, m, n, k) -> (b, n, k)>\n"                       \
  "#bmn = affine_map<(b, m, n, k) -> (b, m, n)>\n"
/* The scalar body of one operand, or of two. */
#define ONE(BODY) " {\n^bb0(%a: f32, %o: f32):\n" BODY "}"
#define TWO(BODY) " {\n^bb0(%a: f32, %b: f32, %o: f32):\n" BODY "}"
#define YIELD(VALUE) "linalg.yield " VALUE " : f32\n"
#define EMPTY(NAME, TYPE) NAME " = tensor.empty() : " TYPE "\n"
#define ZEROS(NAME, TYPE)                                                                                              \
  EMPTY(NAME "e", TYPE)                                                                                                \
  NAME " = linalg.fill ins(%zero : f32) outs(" NAME "e : " TYPE ") -> " TYPE "\n"
#define BEGIN(ARGUMENTS, RESULT)                                                                                       \
  MAPS "func.func @f(" ARGUMENTS ") -> " RESULT                                                                        \
       " {\n%zero = arith.constant 0.0 : f32\n%half = arith.constant 0.5 : f32\n"
#define END(VALUE, TYPE) "return " VALUE " : " TYPE "\n}\n"

typedef struct program {
  const char *name, *passes;
  ir_opcode code; /* so many ops of this code are left */
  unsigned count;
  const char *text;
} program;

#define ABSORB "simplify,absorb-moves,simplify"
#define MERGE "simplify,merge-elementwise,simplify"

#define Q "tensor<3x5x4xf32>"
#define K "tensor<3x7x4xf32>"
#define S "tensor<3x5x7xf32>"
#define PRODUCT(A, B, TA, TB)                                                                                          \
  ZEROS("%s", S) "%p = linalg.batch_matmul ins(" A ", " B " : " TA ", " TB ") outs(%s : " S ") -> " S "\n"

static const program programs[] = {
    {"a transposed factor", ABSORB, OP_LINALG_TRANSPOSE, 0,
     BEGIN("%q: " Q ", %k: " K, S)
         EMPTY("%e", "tensor<3x4x7xf32>") "%t = linalg.transpose ins(%k : " K
                                          ") outs(%e : tensor<3x4x7xf32>) permutation = [0, 2, 1]\n" PRODUCT(
                                              "%q", "%t", Q, "tensor<3x4x7xf32>") END("%p", S)},
    {"a transpose that also rounds", ABSORB, OP_LINALG_GENERIC, 1,
     BEGIN("%q: tensor<3x5x4xf16>, %k: " K, S)
         EMPTY("%e", "tensor<3x4x7xf16>") "%t = linalg.generic {indexing_maps = [#t3, #id3], " PARALLEL3 "} ins(%k : " K
                                          ") outs(%e : tensor<3x4x7xf16>) {\n"
                                          "^bb0(%a: f32, %o: f16):\n%r = arith.truncf %a : f32 to f16\nlinalg.yield %r "
                                          ": f16\n} -> tensor<3x4x7xf16>\n" PRODUCT("%q", "%t", "tensor<3x5x4xf16>",
                                                                                    "tensor<3x4x7xf16>") END("%p", S)},
    {"keys repeated for groups of heads", ABSORB, OP_TENSOR_COLLAPSE_SHAPE, 1, /* that of the result */
     BEGIN("%q: tensor<6x5x4xf32>, %k: " K, "tensor<6x5x7xf32>") EMPTY(
         "%e",
         "tensor<3x2x7x4xf32>") "%r = linalg.broadcast ins(%k : " K
                                ") outs(%e : tensor<3x2x7x4xf32>) dimensions = [1]\n"
                                "%c = tensor.collapse_shape %r [[0, 1], [2], [3]] : tensor<3x2x7x4xf32> into "
                                "tensor<6x7x4xf32>\n" ZEROS(
                                    "%s",
                                    "tensor<6x5x7xf32>") "%p = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], "
                                                         "iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
                                                         "\"reduction\"]} ins(%q, %c : tensor<6x5x4xf32>, "
                                                         "tensor<6x7x4xf32>) outs(%s : tensor<6x5x7xf32>)" TWO(
                                                             "%m = arith.mulf %a, %b : f32\n%n = arith.addf %o, %m : "
                                                             "f32\n" YIELD(
                                                                 "%n")) " -> tensor<6x5x7xf32>\n" END("%p",
                                                                                                      "tensor<"
                                                                                                      "6x5x7xf32>")},
    {"heads merged and split again", ABSORB, OP_TENSOR_COLLAPSE_SHAPE, 0,
     BEGIN("%x: tensor<2x3x5x4xf32>",
           "tensor<2x3x5x4xf32>") "%c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into "
                                  "tensor<6x5x4xf32>\n" EMPTY("%e",
                                                              "tensor<6x5x4xf32>") "%y = linalg.exp ins(%c : "
                                                                                   "tensor<6x5x4xf32>) outs(%e : "
                                                                                   "tensor<6x5x4xf32>) -> "
                                                                                   "tensor<6x5x4xf32>\n"
                                                                                   "%z = tensor.expand_shape %y [[0, "
                                                                                   "1], [2], [3]] output_shape [2, 3, "
                                                                                   "5, 4] : tensor<6x5x4xf32> into "
                                                                                   "tensor<2x3x5x4xf32>\n" END(
                                                                                       "%z", "tensor<2x3x5x4xf32>")},
    {"heads split otherwise than they were merged", ABSORB, OP_TENSOR_COLLAPSE_SHAPE, 1,
     BEGIN("%x: tensor<2x3x5x4xf32>",
           "tensor<3x2x5x4xf32>") "%c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into "
                                  "tensor<6x5x4xf32>\n" EMPTY("%e",
                                                              "tensor<6x5x4xf32>") "%y = linalg.exp ins(%c : "
                                                                                   "tensor<6x5x4xf32>) outs(%e : "
                                                                                   "tensor<6x5x4xf32>) -> "
                                                                                   "tensor<6x5x4xf32>\n"
                                                                                   "%z = tensor.expand_shape %y [[0, "
                                                                                   "1], [2], [3]] output_shape [3, 2, "
                                                                                   "5, 4] : tensor<6x5x4xf32> into "
                                                                                   "tensor<3x2x5x4xf32>\n" END(
                                                                                       "%z", "tensor<3x2x5x4xf32>")},
    {"positions in merged dims", ABSORB, OP_TENSOR_COLLAPSE_SHAPE, 0,
     BEGIN("%x: tensor<2x3x5x4xf32>",
           "tensor<2x3x5x4xf32>") "%c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into "
                                  "tensor<6x5x4xf32>\n" EMPTY("%e",
                                                              "tensor<6x5x4xf32>") "%y = linalg.generic {indexing_maps "
                                                                                   "= [#id3, #id3], " PARALLEL3
                                                                                   "} ins(%c : tensor<6x5x4xf32>) "
                                                                                   "outs(%e : "
                                                                                   "tensor<6x5x4xf32>)" ONE(
                                                                                       "%i = linalg.index 0 : "
                                                                                       "index\n%j = arith.index_cast "
                                                                                       "%i : index to i32\n"
                                                                                       "%g = arith.sitofp %j : i32 to "
                                                                                       "f32\n%h = arith.addf %a, %g : "
                                                                                       "f32\n" YIELD(
                                                                                           "%h")) " -> "
                                                                                                  "tensor<6x5x4xf32>\n"
                                                                                                  "%z = "
                                                                                                  "tensor.expand_shape "
                                                                                                  "%y [[0, 1], [2], "
                                                                                                  "[3]] output_shape "
                                                                                                  "[2, 3, 5, 4] : "
                                                                                                  "tensor<6x5x4xf32> "
                                                                                                  "into "
                                                                                                  "tensor<2x3x5x4xf32>"
                                                                                                  "\n" END(
                                                                                                      "%z",
                                                                                                      "tensor<"
                                                                                                      "2x3x5x4xf32>")},
    {"rows merged for a plain product stay merged", ABSORB, OP_TENSOR_COLLAPSE_SHAPE, 1,
     BEGIN("%x: " Q ", %w: tensor<4x7xf32>",
           "tensor<15x7xf32>") "%c = tensor.collapse_shape %x [[0, 1], [2]] : " Q
                               " into tensor<15x4xf32>\n" ZEROS(
                                   "%s", "tensor<15x7xf32>") "%p = linalg.matmul ins(%c, %w : tensor<15x4xf32>, "
                                                             "tensor<4x7xf32>) outs(%s : tensor<15x7xf32>) -> "
                                                             "tensor<15x7xf32>\n" END("%p", "tensor<15x7xf32>")},
    {"kept dims", ABSORB, OP_TENSOR_EXPAND_SHAPE, 0,
     BEGIN("%x: " S ", %r: tensor<3x5xf32>",
           S) "%k = tensor.expand_shape %r [[0], [1, 2]] output_shape [3, 5, 1] : tensor<3x5xf32> into "
              "tensor<3x5x1xf32>\n" EMPTY("%e",
                                          S) "%y = linalg.generic {indexing_maps = [#id3, #keep3, #id3], " PARALLEL3
                                             "} ins(%x, %k : " S ", tensor<3x5x1xf32>) outs(%e : " S
                                             ")" TWO("%d = arith.subf %a, %b : f32\n" YIELD("%d")) " -> " S
                                                                                                   "\n" END("%y", S)},
    {"a sum that keeps its dim", ABSORB, OP_TENSOR_EXPAND_SHAPE, 0,
     BEGIN("%x: " S, S) ZEROS(
         "%z",
         "tensor<3x5x1xf32>") "%r = linalg.generic {indexing_maps = [#id3, #keep3], iterator_types = [\"parallel\", "
                              "\"parallel\", \"reduction\"]} "
                              "ins(%x : " S ") outs(%z : tensor<3x5x1xf32>)" ONE("%d = arith.addf %a, %o : f32\n" YIELD(
                                  "%d")) " -> tensor<3x5x1xf32>\n" EMPTY("%e",
                                                                         S) "%y = linalg.generic {indexing_maps = "
                                                                            "[#id3, #keep3, #id3], " PARALLEL3
                                                                            "} ins(%x, %r : " S
                                                                            ", tensor<3x5x1xf32>) outs(%e : " S ")" TWO(
                                                                                "%d = arith.divf %a, %b : f32\n" YIELD(
                                                                                    "%d")) " -> " S "\n" END("%y", S)},
    {"a sum onto a kept dim that is given", ABSORB, OP_TENSOR_EXPAND_SHAPE, 1,
     BEGIN("%x: " S ", %z: tensor<3x5x1xf32>",
           "tensor<3x5x1xf32>") "%r = linalg.generic {indexing_maps = [#id3, #keep3], iterator_types = [\"parallel\", "
                                "\"parallel\", \"reduction\"]} "
                                "ins(%x : " S
                                ") outs(%z : tensor<3x5x1xf32>)" ONE("%d = arith.addf %a, %o : f32\n" YIELD(
                                    "%d")) " -> tensor<3x5x1xf32>\n" END("%r", "tensor<3x5x1xf32>")},
    {"a transposed result", ABSORB, OP_LINALG_TRANSPOSE, 0,
     BEGIN("%q: " Q ", %k: tensor<3x4x7xf32>", "tensor<5x3x7xf32>") PRODUCT("%q", "%k", Q, "tensor<3x4x7xf32>")
         EMPTY("%e", "tensor<5x3x7xf32>") "%t = linalg.transpose ins(%p : " S
                                          ") outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]\n" END(
                                              "%t", "tensor<5x3x7xf32>")},
    {"a transposed result that is also read as it is", ABSORB, OP_LINALG_TRANSPOSE, 1,
     BEGIN("%q: " Q ", %k: tensor<3x4x7xf32>", "(tensor<5x3x7xf32>, " S ")") PRODUCT("%q", "%k", Q, "tensor<3x4x7xf32>")
         EMPTY("%e", "tensor<5x3x7xf32>") "%t = linalg.transpose ins(%p : " S
                                          ") outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]\n"
                                          "return %t, %p : tensor<5x3x7xf32>, " S "\n}\n"},
    {"a transposed result with a start of its own", ABSORB, OP_LINALG_TRANSPOSE, 1,
     BEGIN("%q: " Q ", %k: tensor<3x4x7xf32>, %s: " S,
           "tensor<5x3x7xf32>") "%p = linalg.batch_matmul ins(%q, %k : " Q ", tensor<3x4x7xf32>) outs(%s : " S ") -> " S
                                "\n" EMPTY(
                                    "%e",
                                    "tensor<5x3x7xf32>") "%t = linalg.transpose ins(%p : " S
                                                         ") outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]\n" END(
                                                             "%t", "tensor<5x3x7xf32>")},
    {"a sum over repeated elements", ABSORB, OP_LINALG_BROADCAST, 1, /* nothing else tells how often */
     BEGIN("%x: tensor<3xf32>", "tensor<3xf32>")
         EMPTY("%e", "tensor<3x5xf32>") "%r = linalg.broadcast ins(%x : tensor<3xf32>) outs(%e : tensor<3x5xf32>) "
                                        "dimensions = [1]\n" ZEROS(
                                            "%z", "tensor<3xf32>") "%y = linalg.reduce { arith.addf } ins(%r : "
                                                                   "tensor<3x5xf32>) outs(%z : tensor<3xf32>) "
                                                                   "dimensions = [1]\n" END("%y", "tensor<3xf32>")},

    {"a chain", MERGE, OP_LINALG_GENERIC, 1,
     BEGIN("%x: " S ", %r: tensor<3x5xf32>", S) EMPTY(
         "%e", S) "%u = linalg.generic {indexing_maps = [#id3, #row3, #id3], " PARALLEL3 "} ins(%x, %r : " S
                  ", tensor<3x5xf32>) outs(%e : " S ")" TWO("%d = arith.subf %a, %b : f32\n" YIELD(
                      "%d")) " -> " S "\n"
                             "%v = linalg.exp ins(%u : " S ") outs(%e : " S ") -> " S "\n"
                             "%w = linalg.mul ins(%v, %x : " S ", " S ") outs(%e : " S ") -> " S "\n" END("%w", S)},
    {"exponentials of a row are not computed for each of its elements", MERGE, OP_LINALG_EXP, 1,
     BEGIN("%x: " S ", %r: tensor<3x5xf32>", S) EMPTY("%e", S) EMPTY(
         "%er",
         "tensor<3x5xf32>") "%u = linalg.exp ins(%r : tensor<3x5xf32>) outs(%er : tensor<3x5xf32>) -> tensor<3x5xf32>\n"
                            "%v = linalg.generic {indexing_maps = [#id3, #row3, #id3], " PARALLEL3 "} ins(%x, %u : " S
                            ", tensor<3x5xf32>) outs(%e : " S
                            ")" TWO("%d = arith.subf %a, %b : f32\n" YIELD("%d")) " -> " S "\n" END("%v", S)},
    {"positions are made where they are read, twice", MERGE, OP_LINALG_GENERIC, 2,
     BEGIN("%x: " S, "(" S ", " S ")") EMPTY("%e", S) EMPTY(
         "%e1",
         "tensor<7xf32>") "%i = linalg.generic {indexing_maps = [#id1], iterator_types = [\"parallel\"]} outs(%e1 : "
                          "tensor<7xf32>) {\n"
                          "^bb0(%o: f32):\n%n = linalg.index 0 : index\n%j = arith.index_cast %n : index to i32\n"
                          "%g = arith.sitofp %j : i32 to f32\n" YIELD(
                              "%g") "} -> tensor<7xf32>\n"
                                    "%u = linalg.generic {indexing_maps = [#id3, #last3, #id3], " PARALLEL3
                                    "} ins(%x, %i : " S ", tensor<7xf32>) outs(%e : " S
                                    ")" TWO("%d = arith.addf %a, %b : f32\n" YIELD(
                                        "%d")) " -> " S "\n"
                                               "%v = linalg.generic {indexing_maps = [#id3, #last3, #id3], " PARALLEL3
                                               "} ins(%x, %i : " S ", tensor<7xf32>) outs(%e : " S ")" TWO(
                                                   "%d = arith.mulf %a, %b : f32\n" YIELD("%d")) " -> " S "\n"
                                                                                                 "return %u, %v : " S
                                                                                                 ", " S "\n}\n"},
    {"what two ops read is computed once", MERGE, OP_LINALG_EXP, 1,
     BEGIN("%x: " S, "(" S ", " S ")") EMPTY("%e", S) "%u = linalg.exp ins(%x : " S ") outs(%e : " S ") -> " S "\n"
                                                      "%v = linalg.negf ins(%u : " S ") outs(%e : " S ") -> " S "\n"
                                                      "%w = linalg.mul ins(%u, %x : " S ", " S ") outs(%e : " S
                                                      ") -> " S "\nreturn %v, %w : " S ", " S "\n}\n"},
    {"that holds for what is cheap, too", MERGE, OP_LINALG_NEGF, 1,
     BEGIN("%x: " S, "(" S ", " S ")") EMPTY("%e", S) "%u = linalg.negf ins(%x : " S ") outs(%e : " S ") -> " S "\n"
                                                      "%v = linalg.exp ins(%u : " S ") outs(%e : " S ") -> " S "\n"
                                                      "%w = linalg.mul ins(%u, %x : " S ", " S ") outs(%e : " S
                                                      ") -> " S "\nreturn %v, %w : " S ", " S "\n}\n"},
    {"an op that updates its output is no producer", MERGE, OP_LINALG_GENERIC, 1,
     BEGIN("%x: " S ", %y: " S, S) EMPTY(
         "%e", S) "%u = linalg.generic {indexing_maps = [#id3, #id3], " PARALLEL3 "} ins(%x : " S ") outs(%y : " S
                  ")" ONE("%d = arith.addf %a, %o : f32\n" YIELD("%d")) " -> " S "\n"
                                                                        "%v = linalg.exp ins(%u : " S ") outs(%e : " S
                                                                        ") -> " S "\n" END("%v", S)},
};

static unsigned count_ops(const ir_module *module, ir_opcode code) {
  unsigned count = 0;
  for (const ir_op *op = ir_region(ir_module_lookup(module, "f"), 0)->first; op; op = op->next)
    count += op->code == code;
  return count;
}

static void check(const program *program) {
  ir_module *before = check_parse(program->text), *after = check_parse(program->text);
  cr_assert(before && after, "%s: does not parse", program->name);
  pass_options options = {.verify = true, .fuse = true};
  cr_assert(pass_run(after, program->passes, &options), "%s", program->name);
  cr_assert_eq(count_ops(after, program->code), program->count, "%s: %u of %s", program->name,
               count_ops(after, program->code), ir_op_info_of(program->code)->name);
  check_options how = {.function = "f", .seed = 5, .std = 4, .precision = IR_PRECISION_DOUBLE};
  check_report report = check_equivalent(before, after, &how);
  cr_assert(report.ok && report.largest_error < 1e-12, "%s: %s", program->name, report.text);
  ir_module_destroy(before);
  ir_module_destroy(after);
}

Test(absorb, moves_go_away_and_elementwise_ops_become_one) {
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    check(&programs[i]);
}

#define SCALED(BODY)                                                                                                   \
  EMPTY("%ek", K)                                                                                                      \
  "%g = linalg.generic {indexing_maps = [#id3, #id3], " PARALLEL3 "} ins(%k : " K ") outs(%ek : " K                    \
  ")" ONE(BODY) " -> " K "\n"
#define KEYS                                                                                                           \
  EMPTY("%et", "tensor<3x4x7xf32>")                                                                                    \
  "%t = linalg.transpose ins(%g : " K                                                                                  \
  ") outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]\n" PRODUCT("%q", "%t", Q, "tensor<3x4x7xf32>")
#define SPREAD EMPTY("%e", S) "%r = linalg.exp ins(%p : " S ") outs(%e : " S ") -> " S "\n"
/* Softmax as exporters spell it. */
#define SPELLED                                                                                                        \
  ZEROS("%z", "tensor<3x5xf32>")                                                                                       \
  EMPTY("%e", S) "%x = linalg.exp ins(%p : " S ") outs(%e : " S ") -> " S "\n"                                         \
                 "%l = linalg.reduce { arith.addf } ins(%x : " S ") outs(%z : tensor<3x5xf32>) dimensions = [2]\n"     \
                 "%r = linalg.generic {indexing_maps = [#id3, #row3, #id3], " PARALLEL3 "} ins(%x, %l : " S            \
                 ", tensor<3x5xf32>) outs(%e : " S ")" TWO("%d = arith.divf %a, %b : f32\n" YIELD("%d")) " -> " S "\n"

/* The product reads the keys themselves where a scalar went to the queries. */
static bool keys_are_unscaled(const char *text) {
  ir_module *before = check_parse(text), *after = check_parse(text);
  cr_assert(before && after);
  pass_options options = {.verify = true, .fuse = true};
  cr_assert(pass_run(after, "simplify,absorb-moves,simplify,raise,simplify,move-factors,simplify", &options));
  check_options how = {.function = "f", .seed = 5, .std = 2, .precision = IR_PRECISION_DOUBLE};
  check_report report = check_equivalent(before, after, &how);
  cr_assert(report.ok && report.largest_error < 1e-12, "%s", report.text);
  const ir_block *body = ir_region(ir_module_lookup(after, "f"), 0);
  bool unscaled = false;
  for (const ir_op *op = body->first; op; op = op->next)
    unscaled |= ir_is_contraction(op) && ir_operand(op, 1) == body->args[1];
  ir_module_destroy(before);
  ir_module_destroy(after);
  return unscaled;
}

#define HEAD BEGIN("%q: " Q ", %k: " K ", %c: f32", S)

Test(absorb, factors_leave_the_keys) {
  cr_assert(keys_are_unscaled(HEAD SCALED("%m = arith.mulf %a, %half : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
  cr_assert(keys_are_unscaled(HEAD SCALED("%m = arith.mulf %c, %a : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
  cr_assert(keys_are_unscaled(HEAD SCALED("%m = arith.divf %a, %c : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
}

Test(absorb, factors_that_are_none_stay) {
  cr_assert_not(
      keys_are_unscaled(HEAD SCALED("%m = arith.addf %a, %half : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
  cr_assert_not(keys_are_unscaled(HEAD SCALED("%m = arith.divf %c, %a : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
  cr_assert_not(keys_are_unscaled(HEAD SCALED("%m = arith.mulf %a, %a : f32\n" YIELD("%m")) KEYS SPELLED END("%r", S)));
}

Test(absorb, products_without_softmax_keep_their_factors) {
  cr_assert_not(
      keys_are_unscaled(HEAD SCALED("%m = arith.mulf %a, %half : f32\n" YIELD("%m")) KEYS SPREAD END("%r", S)));
}
