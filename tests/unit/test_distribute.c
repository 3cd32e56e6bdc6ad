/* test_distribute.c - kernels on vectors with layouts: what the PTX emulator computes of them after the pass
 * "distribute" is what the interpreter computes before, and the emulator sees no race. */
#include "passes/pass.h"
#include "tests/support/check.h"
#include "tests/support/emulate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 6 };

typedef struct kernel_case {
  const char *what, *text, *passes; /* the last pass is distribute */
  int64_t dims[8];
  unsigned num_dims;
  double tolerance;
  uint64_t shared_bytes; /* 0: all that the chip has */
} kernel_case;

static void check_kernel(const kernel_case *kernel) {
  target_facts facts;
  ir_module *before = check_parse(kernel->text), *after = check_parse(kernel->text);
  cr_assert(before && after && target_find("nvptx:sm_80", &facts), "%s", kernel->what);
  facts.shared_bytes = kernel->shared_bytes ? kernel->shared_bytes : facts.shared_bytes;
  pass_options options = {.target = &facts, .verify = true, .fuse = true};
  ir_op *function = ir_region(before->root, 0)->first;
  const char *name = ir_attr_string_or(function, "sym_name", "");
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  unsigned count = type->num_inputs, num_results = type->num_results; /* results become further arguments */
  check_options shapes = {.function = name, .dims = kernel->dims, .num_dims = kernel->num_dims, .seed = 7};
  ir_tensor expected[MAX_ARGUMENTS], found[MAX_ARGUMENTS];
  cr_assert(check_arguments(before, &shapes, count, expected) && check_arguments(before, &shapes, count, found));
  cr_assert(ir_interpret(before, name, IR_PRECISION_DOUBLE, count, expected, num_results, expected + count), "%s",
            kernel->what);
  for (unsigned i = count; i < count + num_results; i++) {
    found[i] = expected[i];
    cr_assert(ir_tensor_allocate(&found[i]));
  }
  count += num_results;
  cr_assert(pass_run(after, kernel->passes, &options), "%s", kernel->what);
  emulate(after, &facts, count, found, kernel->what);
  for (unsigned i = 0; i < count; i++) {
    double error = check_difference(&expected[i], &found[i]);
    cr_expect(error <= kernel->tolerance, "%s: argument %u differs by %g", kernel->what, i, error);
    ir_tensor_release(&expected[i]);
    ir_tensor_release(&found[i]);
  }
  ir_module_destroy(before);
  ir_module_destroy(after);
}

#define PIPELINE                                                                                                       \
  "simplify,shapes,transform,raise,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,"   \
  "layout,delay-sums,stage,"                                                                                           \
  "distribute,registers,simplify"
/* Attention of 2 heads, S_q = 100, S_k = 130, with elements of type T, head dim D. */
#define ATTENTION(T, D)                                                                                                \
  "func.func @f(%q: tensor<2x100x" D "x" T ">, %k: tensor<2x130x" D "x" T ">, %v: tensor<2x130x" D "x" T               \
  ">) -> tensor<2x100x" D "x" T "> {\n"                                                                                \
  "%zero = arith.constant 0.0 : f32\n"                                                                                 \
  "%se = tensor.empty() : tensor<2x100x130xf32>\n"                                                                     \
  "%sz = linalg.fill ins(%zero : f32) outs(%se : tensor<2x100x130xf32>) -> tensor<2x100x130xf32>\n"                    \
  "%s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, "    \
  "k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", "          \
  "\"reduction\"]} ins(%q, %k : tensor<2x100x" D "x" T ">, tensor<2x130x" D "x" T                                      \
  ">) outs(%sz : tensor<2x100x130xf32>) {\n"                                                                           \
  "^bb0(%x: " T ", %y: " T ", %o: f32):\n"                                                                             \
  "%x1 = arith.extf %x : " T " to f32\n"                                                                               \
  "%y1 = arith.extf %y : " T " to f32\n"                                                                               \
  "%p = arith.mulf %x1, %y1 : f32\n"                                                                                   \
  "%w = arith.addf %o, %p : f32\n"                                                                                     \
  "linalg.yield %w : f32\n"                                                                                            \
  "} -> tensor<2x100x130xf32>\n"                                                                                       \
  "%pe = tensor.empty() : tensor<2x100x130xf32>\n"                                                                     \
  "%r = linalg.softmax dimension(2) ins(%s : tensor<2x100x130xf32>) outs(%pe : tensor<2x100x130xf32>) -> "             \
  "tensor<2x100x130xf32>\n"                                                                                            \
  "%he = tensor.empty() : tensor<2x100x130x" T ">\n"                                                                   \
  "%h = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], "    \
  "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(%r : tensor<2x100x130xf32>) outs(%he : "           \
  "tensor<2x100x130x" T ">) {\n"                                                                                       \
  "^bb0(%x: f32, %o: " T "):\n"                                                                                        \
  "%c = arith.truncf %x : f32 to " T "\n"                                                                              \
  "linalg.yield %c : " T "\n"                                                                                          \
  "} -> tensor<2x100x130x" T ">\n"                                                                                     \
  "%oe = tensor.empty() : tensor<2x100x" D "xf32>\n"                                                                   \
  "%oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x100x" D "xf32>) -> tensor<2x100x" D "xf32>\n"                \
  "%o = linalg.batch_matmul ins(%h, %v : tensor<2x100x130x" T ">, tensor<2x130x" D "x" T                               \
  ">) outs(%oz : tensor<2x100x" D "xf32>) -> tensor<2x100x" D "xf32>\n"                                                \
  "%re = tensor.empty() : tensor<2x100x" D "x" T ">\n"                                                                 \
  "%z = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], "    \
  "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(%o : tensor<2x100x" D                              \
  "xf32>) outs(%re : tensor<2x100x" D "x" T ">) {\n"                                                                   \
  "^bb0(%x: f32, %o2: " T "):\n"                                                                                       \
  "%c = arith.truncf %x : f32 to " T "\n"                                                                              \
  "linalg.yield %c : " T "\n"                                                                                          \
  "} -> tensor<2x100x" D "x" T ">\n"                                                                                   \
  "return %z : tensor<2x100x" D "x" T ">\n"                                                                            \
  "}\n"

#define KERNEL(THREADS, GRID, BODY) "scf.forall (%i) in (" GRID ") {\n" BODY "} {tec.threads = " THREADS " : i64}\n"
#define CONSTANTS                                                                                                      \
  "%c0 = arith.constant 0 : index\n %c16 = arith.constant 16 : index\n %c48 = arith.constant 48 : index\n"             \
  "%zero = arith.constant 0.0 : f32\n %zero16 = arith.constant 0.0 : f16\n"
#define SOFTMAX_2D "{tec.layouts = [\"[L4@8 W2@1, R4@1 L8@1 R4@4]\"]}"
#define SOFTMAX_1D "{tec.layouts = [\"[L4@8 W2@1]\"]}"
#define C_LAYOUT "[L8@4 R2@2 W4@1, R2@1 L4@1 R4@4]"
#define MATMUL                                                                                                         \
  "{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, "   \
  "n)>], "                                                                                                             \
  "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}"

/* y = x, read in one layout and written in another. */
#define CONVERSION(FROM, TO)                                                                                           \
  "func.func @f(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {\n" CONSTANTS KERNEL(                                   \
      "64", "1",                                                                                                       \
      "%v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"" FROM                \
      "\"]} : memref<16x16xf32>, vector<16x16xf32>\n"                                                                  \
      "%w = vector_ext.to_layout %v {layout = \"" TO "\", conversion = \"shared memory\", tec.layouts = [\"" TO        \
      "\"]} : vector<16x16xf32>\n"                                                                                     \
      "vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, "                        \
      "memref<16x16xf32>\n") "return\n}\n"

/* A product of which each lane does a part, then sums of rows that several warps hold. */
#define LANE_PRODUCT                                                                                                   \
  "func.func @f(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>, %r: memref<8xf32>) "                  \
  "{\n" CONSTANTS KERNEL(                                                                                              \
      "64", "1",                                                                                                       \
      "%acc = arith.constant {tec.layouts = [\"[L8@4, W2@1 L4@1]\"]} dense<0.5> : vector<8x8xf32>\n"                   \
      "%x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"[L8@4, R4@1 "         \
      "L4@1]\"]} : "                                                                                                   \
      "memref<8x16xf32>, vector<8x16xf32>\n"                                                                           \
      "%y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"[L16@1, L2@16 "       \
      "R4@1]\"]} "                                                                                                     \
      ": memref<16x8xf32>, vector<16x8xf32>\n"                                                                         \
      "%t = vector.contract " MATMUL " %x, %y, %acc {tec.layouts = [\"[L8@4, W2@1 L4@1]\"]} : vector<8x16xf32>, "      \
      "vector<16x8xf32> into vector<8x8xf32>\n"                                                                        \
      "vector.transfer_write %t, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>\n"         \
      "%one = arith.constant {tec.layouts = [\"[L8@4]\"]} dense<1.0> : vector<8xf32>\n"                                \
      "%rows = vector.multi_reduction <add>, %t, %one {tec.layouts = [\"[L8@4]\"]} [1] : vector<8x8xf32> to "          \
      "vector<8xf32>\n"                                                                                                \
      "vector.transfer_write %rows, %r[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>\n") "return\n}"        \
                                                                                                    "\n"

static const kernel_case kernels[] = {
    {"identity", CONVERSION("[L8@4 R2@2, R2@1 L4@1 R2@4]", "[L8@4 R2@2, R2@1 L4@1 R2@4]"), "distribute", {0}, 0, 0},
    {"register permute",
     CONVERSION("[L8@4 R2@2, R2@1 L4@1 R2@4]", "[L8@4 R2@4, R2@1 L4@1 R2@2]"),
     "distribute",
     {0},
     0,
     0},
    {"lane shuffle", CONVERSION("[L8@4 R2@2, R2@1 L4@1 R2@4]", "[L8@4 R2@2, L4@1 R4@4]"), "distribute", {0}, 0, 0},
    {"lane shuffle, registers that depend on the lane",
     CONVERSION("[L8@4 R2@2, R2@1 L4@1 R2@4]", "[L8@4 R2@1, L4@1 R2@2 R2@4]"),
     "distribute,registers",
     {0},
     0,
     0},
    {"across warps", CONVERSION("[L8@4 W2@1, R2@1 L4@1 R2@2]", "[R16@1, L16@1]"), "distribute", {0}, 0, 0},
    {"row softmax with a ragged tail",
     "func.func @f(%x: memref<?x72xf32>, %y: memref<?x72xf32>) {\n" CONSTANTS
     "%n = memref.dim %x, %c0 : memref<?x72xf32>\n"
     "%blocks = affine.apply affine_map<()[n] -> (n ceildiv 8)>()[%n]\n" KERNEL(
         "64", "%blocks",
         "%row = affine.apply affine_map<(i) -> (i * 8)>(%i)\n"
         "%v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [false, false], tec.layouts = "
         "[\"[L4@8 W2@1, R4@1 L8@1 R4@4]\"]} : memref<?x72xf32>, vector<8x128xf32>\n"
         "%cols = vector.step {tec.layouts = [\"[R4@1 L8@1 R4@4]\"]} : vector<128xindex>\n"
         "%b = vector.broadcast %cols " SOFTMAX_2D " : vector<128xindex> to vector<8x128xindex>\n"
         "%end = arith.constant " SOFTMAX_2D " dense<72> : vector<8x128xindex>\n"
         "%in = arith.cmpi slt, %b, %end " SOFTMAX_2D " : vector<8x128xindex>\n"
         "%low = arith.constant " SOFTMAX_2D " dense<0xFF800000> : vector<8x128xf32>\n"
         "%vm = arith.select %in, %v, %low " SOFTMAX_2D " : vector<8x128xi1>, vector<8x128xf32>\n"
         "%init = arith.constant " SOFTMAX_1D " dense<-1.0e30> : vector<8xf32>\n"
         "%max = vector.multi_reduction <maximumf>, %vm, %init " SOFTMAX_1D
         " [1] : vector<8x128xf32> to vector<8xf32>\n"
         "%maxt = vector.broadcast %max {tec.layouts = [\"[R4@1 L8@1 R4@4, L4@8 W2@1]\"]} : vector<8xf32> to "
         "vector<128x8xf32>\n"
         "%maxb = vector.transpose %maxt, [1, 0] " SOFTMAX_2D " : vector<128x8xf32> to vector<8x128xf32>\n"
         "%d = arith.subf %vm, %maxb " SOFTMAX_2D " : vector<8x128xf32>\n"
         "%e = math.exp %d " SOFTMAX_2D " : vector<8x128xf32>\n"
         "%none = arith.constant " SOFTMAX_1D " dense<0.0> : vector<8xf32>\n"
         "%sum = vector.multi_reduction <add>, %e, %none " SOFTMAX_1D " [1] : vector<8x128xf32> to vector<8xf32>\n"
         "%sumt = vector.broadcast %sum {tec.layouts = [\"[R4@1 L8@1 R4@4, L4@8 W2@1]\"]} : vector<8xf32> to "
         "vector<128x8xf32>\n"
         "%sumb = vector.transpose %sumt, [1, 0] " SOFTMAX_2D " : vector<128x8xf32> to vector<8x128xf32>\n"
         "%q = arith.divf %e, %sumb " SOFTMAX_2D " : vector<8x128xf32>\n"
         "vector.transfer_write %q, %y[%row, %c0] {in_bounds = [false, false]} : vector<8x128xf32>, "
         "memref<?x72xf32>\n") "return\n}\n",
     "distribute",
     {13, 13},
     2,
     1e-5},
    {"product on the matrix unit",
     "func.func @f(%a: memref<64x48xf16>, %b: memref<48x32xf16>, %c: memref<64x32xf32>) {\n" CONSTANTS KERNEL(
         "128", "1",
         "%acc = arith.constant {tec.layouts = [\"" C_LAYOUT "\"]} dense<0.0> : vector<64x32xf32>\n"
         "%sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%s = %acc) -> (vector<64x32xf32>) {\n"
         "%x = vector.transfer_read %a[%c0, %k], %zero16 {in_bounds = [true, true], tec.layouts = [\"[L8@4 R2@2 "
         "W4@1, "
         "R2@1 L4@1 R2@4]\"]} : memref<64x48xf16>, vector<64x16xf16>\n"
         "%y = vector.transfer_read %b[%k, %c0], %zero16 {in_bounds = [true, true], tec.layouts = [\"[R2@1 L4@1 "
         "R2@2, "
         "L8@4 R4@4]\"]} : memref<48x32xf16>, vector<16x32xf16>\n"
         "%t = vector.contract " MATMUL " %x, %y, %s {tec.layouts = [\"" C_LAYOUT "\"]} : vector<64x16xf16>, "
         "vector<16x32xf16> into vector<64x32xf32>\n"
         "scf.yield %t : vector<64x32xf32>\n} {tec.layouts = [\"" C_LAYOUT "\"]}\n"
         "vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, "
         "memref<64x32xf32>\n") "return\n}\n",
     "distribute,simplify",
     {0},
     0,
     1e-4},
    {"product by the lanes, sums across warps", LANE_PRODUCT, "distribute", {0}, 0, 1e-4},
    {"product by the lanes, half of its factors in shared memory at a time",
     LANE_PRODUCT,
     "distribute",
     {0},
     0,
     1e-4,
     .shared_bytes = 800},
    {"short product by the lanes",
     "func.func @f(%a: memref<8x6xf32>, %b: memref<6x8xf32>, %c: memref<8x8xf32>) {\n" CONSTANTS KERNEL(
         "64", "1",
         "%acc = arith.constant {tec.layouts = [\"[L8@4, W2@1 L4@1]\"]} dense<0.5> : vector<8x8xf32>\n"
         "%x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"[L8@4, "
         "R6@1]\"]} : "
         "memref<8x6xf32>, vector<8x6xf32>\n"
         "%y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"[R6@1, "
         "L8@1]\"]} "
         ": memref<6x8xf32>, vector<6x8xf32>\n"
         "%t = vector.contract " MATMUL " %x, %y, %acc {tec.layouts = [\"[L8@4, W2@1 L4@1]\"]} : vector<8x6xf32>, "
         "vector<6x8xf32> into vector<8x8xf32>\n"
         "vector.transfer_write %t, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, "
         "memref<8x8xf32>\n") "return\n}\n",
     "distribute,registers,simplify",
     {0},
     0,
     1e-4},
    {"rows that a mask asks for, and one of them",
     "func.func @f(%x: memref<16x32xf32>, %y: memref<16x32xf32>, %z: memref<32xf32>) {\n"
     "%c5 = arith.constant 5 : index\n" CONSTANTS KERNEL(
         "32", "1",
         "%mask = vector.create_mask %c5, %c16 {tec.layouts = [\"[L16@1 L2@16:0, R32@1]\"]} : vector<16x32xi1>\n"
         "%v = vector.transfer_read %x[%c0, %c0], %zero, %mask {in_bounds = [true, true], tec.layouts = [\"[L2@16 "
         "R8@1, L16@1 R2@8]\"]} : memref<16x32xf32>, vector<16x32xf32>\n"
         "vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>\n"
         "%row = vector.extract %v[2] {tec.layouts = [\"[L16@1 R2@1 L2@16:0]\"]} : vector<32xf32> from "
         "vector<16x32xf32>\n"
         "vector.transfer_write %row, %z[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>\n") "return\n}\n",
     "distribute",
     {0},
     0,
     0},
    {"attention, f16, head dim 64", ATTENTION("f16", "64"), PIPELINE, {0}, 0, 4e-3},
    {"attention, bf16, head dim 72", ATTENTION("bf16", "72"), PIPELINE, {0}, 0, 3e-2},
};

Test(distribute, kernels) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    check_kernel(&kernels[i]);
}
