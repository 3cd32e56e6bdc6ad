/* test_split.c - long reductions shared by threads: the interpreter gives the same numbers before and after, kernels
 * with iterations enough are left alone, and so is what cannot be merged. */
#include "passes/pass.h"
#include "tests/support/check.h"
#include "tests/support/generate.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { NUM_SEEDS = 60 };

static const char passes[] = "simplify,absorb-moves,raise,simplify,merge-elementwise,schedule,simplify,trim";

/* Small steps, so that small programs are long enough to be split. */
static target_facts facts_with(unsigned threads, int64_t step) {
  return (target_facts){.name = "host:test",
                        .threads = threads,
                        .l1_bytes = 1 << 15,
                        .l2_bytes = 1 << 20,
                        .tiles = {.reduction = step, .softmax = step}};
}

static bool count_kernel(ir_op *op, void *count) {
  *(unsigned *)count += op->code == OP_SCF_FORALL;
  return true;
}

static unsigned count_kernels(ir_module *module) {
  unsigned count = 0;
  ir_walk(ir_region(module->root, 0), count_kernel, &count);
  return count;
}

/* How many kernels the pass splits; all numbers stay. */
static unsigned split_steps(const char *text, unsigned threads, int64_t step, const int64_t *dims, unsigned num_dims) {
  ir_module *before = check_parse(text), *after = check_parse(text);
  cr_assert(before && after, "%s", text);
  target_facts facts = facts_with(threads, step);
  pass_options options = {.target = &facts, .verify = true, .fuse = true};
  cr_assert(pass_run(after, passes, &options));
  unsigned kernels = count_kernels(after);
  cr_assert(pass_run(after, "split", &options));
  unsigned more = count_kernels(after) - kernels;
  cr_assert(pass_run(after, "decompose-softmax,simplify,bufferize,share-memory,simplify", &options));
  check_options how = {
      .function = "main", .std = 2, .precision = IR_PRECISION_DOUBLE, .dims = dims, .num_dims = num_dims};
  check_report report = check_equivalent(before, after, &how);
  cr_assert(report.ok && report.largest_error < 1e-9, "%s\n%s", report.text, text);
  ir_module_destroy(before);
  ir_module_destroy(after);
  return more;
}

static unsigned split(const char *text, unsigned threads, const int64_t *dims, unsigned num_dims) {
  return split_steps(text, threads, 4, dims, num_dims);
}

#define ATTENTION(ROWS, KEYS, SOFTMAX)                                                                                 \
  "#s = affine_map<(q, k) -> (q, k)>\n"                                                                                \
  "#row = affine_map<(q, k) -> (q)>\n"                                                                                 \
  "func.func @main(%q: tensor<" ROWS "x6xf32>, %k: tensor<" KEYS "x6xf32>, %v: tensor<" KEYS "x5xf32>)\n"              \
  "    -> tensor<" ROWS "x5xf32> {\n"                                                                                  \
  "  %zero = arith.constant 0.0 : f32\n  %hidden = arith.constant 0xFF800000 : f32\n"                                  \
  "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %k, %c0 : tensor<" KEYS "x6xf32>\n"                             \
  "  %es = tensor.empty(" SOFTMAX(ROWS, KEYS)

#define STATIC(ROWS, KEYS) ") : tensor<" ROWS "x" KEYS "xf32>\n" PRODUCTS(ROWS, KEYS, "%s", "")
#define OPEN(ROWS, KEYS) "%n) : tensor<" ROWS "x" KEYS "xf32>\n" PRODUCTS(ROWS, KEYS, "%s", "")
/* The first keys are hidden in the first row, and all in the second. */
#define MASKED(ROWS, KEYS)                                                                                             \
  ") : tensor<" ROWS "x" KEYS "xf32>\n" PRODUCTS(                                                                      \
      ROWS, KEYS, "%m",                                                                                                \
      "  %m = linalg.generic {indexing_maps = [#s, #s], iterator_types = [\"parallel\", \"parallel\"]}\n"              \
      "      ins(%s : tensor<" ROWS "x" KEYS "xf32>) outs(%es : tensor<" ROWS "x" KEYS "xf32>) {\n"                    \
      "  ^bb0(%x: f32, %old: f32):\n"                                                                                  \
      "    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n"                                             \
      "    %c1 = arith.constant 1 : index\n    %c20 = arith.constant 20 : index\n"                                     \
      "    %first = arith.cmpi slt, %i, %c1 : index\n    %far = arith.cmpi sge, %j, %c20 : index\n"                    \
      "    %seen = arith.andi %first, %far : i1\n"                                                                     \
      "    %y = arith.select %seen, %x, %hidden : f32\n    linalg.yield %y : f32\n"                                    \
      "  } -> tensor<" ROWS "x" KEYS "xf32>\n")
#define PRODUCTS(ROWS, KEYS, SCORES, MASK)                                                                             \
  "  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<" ROWS "x" KEYS "xf32>) -> tensor<" ROWS "x" KEYS "xf32>\n"  \
  "  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,\n"          \
  "      affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<" ROWS "x6xf32>, tensor<" KEYS "x6xf32>)\n"              \
  "      outs(%fs : tensor<" ROWS "x" KEYS "xf32>) -> tensor<" ROWS "x" KEYS "xf32>\n" MASK                            \
  "  %p = linalg.softmax dimension(1) ins(" SCORES " : tensor<" ROWS "x" KEYS "xf32>)\n"                               \
  "      outs(%es : tensor<" ROWS "x" KEYS "xf32>) -> tensor<" ROWS "x" KEYS "xf32>\n"                                 \
  "  %eo = tensor.empty() : tensor<" ROWS "x5xf32>\n"                                                                  \
  "  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<" ROWS "x5xf32>) -> tensor<" ROWS "x5xf32>\n"                \
  "  %o = linalg.matmul ins(%p, %v : tensor<" ROWS "x" KEYS "xf32>, tensor<" KEYS "x5xf32>)\n"                         \
  "      outs(%fo : tensor<" ROWS "x5xf32>) -> tensor<" ROWS "x5xf32>\n"                                               \
  "  return %o : tensor<" ROWS "x5xf32>\n}\n"

Test(split, attention) {
  cr_assert_eq(split(ATTENTION("3", "71", STATIC), 2, NULL, 0), 1);
  cr_assert_eq(split(ATTENTION("1", "64", STATIC), 4, NULL, 0), 1);
  cr_assert_eq(split(ATTENTION("2", "71", MASKED), 4, NULL, 0), 1);
}

/* Any length: some parts, or all of them, may be empty. */
Test(split, open_extents) {
  static const int64_t lengths[][2] = {{71, 71}, {3, 3}, {17, 17}};
  for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
    cr_assert_eq(split(ATTENTION("3", "?", OPEN), 8, lengths[i], 2), 1);
}

Test(split, only_where_threads_would_wait) {
  cr_assert_eq(split(ATTENTION("3", "71", STATIC), 1, NULL, 0), 0);
  cr_assert_eq(split(ATTENTION("3", "20", STATIC), 4, NULL, 0), 0, "too short");
  cr_assert_eq(split(ATTENTION("64", "71", STATIC), 2, NULL, 0), 0, "rows enough");
}

/* What the sum starts from counts once. */
Test(split, sums) {
  static const char text[] = "func.func @main(%a: tensor<2x90xf32>, %b: tensor<90x3xf32>, %c: tensor<2x3xf32>)\n"
                             "    -> tensor<2x3xf32> {\n"
                             "  %o = linalg.matmul ins(%a, %b : tensor<2x90xf32>, tensor<90x3xf32>)\n"
                             "      outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                             "  return %o : tensor<2x3xf32>\n}\n";
  cr_assert_eq(split(text, 3, NULL, 0), 1);
}

/* The loop's own sums decide what the next iteration reads: no part can run without those before. */
Test(split, dependent_iterations) {
  static const char text[] =
      "func.func @main(%a: tensor<1x64xf32>, %b: tensor<64x4xf32>) -> tensor<1x4xf32> {\n"
      "  %zero = arith.constant 0.0 : f32\n  %c0 = arith.constant 0 : index\n  %c4 = arith.constant 4 : index\n"
      "  %c64 = arith.constant 64 : index\n  %e = tensor.empty() : tensor<1x4xf32>\n"
      "  %r = scf.forall (%i) in (1) shared_outs(%out = %e) -> (tensor<1x4xf32>) {\n"
      "    %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x4xf32>) -> tensor<1x4xf32>\n"
      "    %s = scf.for %k = %c0 to %c64 step %c4 iter_args(%sum = %f) -> (tensor<1x4xf32>) {\n"
      "      %at = tensor.extract_slice %a[0, %k] [1, 4] [1, 1] : tensor<1x64xf32> to tensor<1x4xf32>\n"
      "      %bt = tensor.extract_slice %b[%k, 0] [4, 4] [1, 1] : tensor<64x4xf32> to tensor<4x4xf32>\n"
      "      %x = linalg.add ins(%at, %sum : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>)\n"
      "          -> tensor<1x4xf32>\n"
      "      %m = linalg.matmul ins(%x, %bt : tensor<1x4xf32>, tensor<4x4xf32>) outs(%sum : tensor<1x4xf32>)\n"
      "          -> tensor<1x4xf32>\n"
      "      scf.yield %m : tensor<1x4xf32>\n"
      "    }\n"
      "    scf.forall.in_parallel {\n"
      "      tensor.parallel_insert_slice %s into %out[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<1x4xf32>\n"
      "    }\n"
      "  }\n"
      "  return %r : tensor<1x4xf32>\n}\n";
  cr_assert_eq(split(text, 4, NULL, 0), 0);
}

static unsigned split_random(const generate_options *options, unsigned seed) {
  generated_program program;
  cr_assert(generate_program(seed, options, &program));
  int64_t dims[GENERATE_MAX_ARGUMENTS * GENERATE_MAX_RANK];
  unsigned num_dims = 0;
  for (unsigned i = 0; i < program.num_arguments; i++)
    for (unsigned k = 0; k < program.ranks[i]; k++)
      if (program.dynamic[i] >> k & 1)
        dims[num_dims++] = program.shapes[i][k];
  unsigned more = split_steps(program.text, 64, 1, dims, num_dims);
  free(program.text);
  return more;
}

Test(split, random_programs) {
  unsigned more = 0;
  for (unsigned seed = 1; seed <= NUM_SEEDS; seed++)
    more += split_random(&(generate_options){.spelled = seed % 2, .dynamic = seed % 3 == 0}, seed);
  cr_assert(more > NUM_SEEDS / 10, "only %u of %u programs were split", more, NUM_SEEDS);
}
