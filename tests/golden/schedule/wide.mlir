// Where one multiply-add a cycle leaves loads to spare, tiles of many rows and columns with many terms are twice as wide, as
// rows are read half as often, and copies of panels ask for what lies several pages ahead.
// RUN: tcc-attn opt %s --target=host:znver4 --cores=1 --passes=to-linalg,schedule,parallelize | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=asm --dump=register-tile -o %t 2>&1 | FileCheck %s --check-prefix=COPY

// CHECK-LABEL: func.func @many(
// CHECK: scf.forall {{.*}} = (0, 0) to (2048, 2048) step ({{.*}}, 256)
// COPY-LABEL: func.func @many(
// COPY: tec.prefetch = array<i64: 16, 0>
func.func @many(%x: tensor<2048x2048xf32>, %w: tensor<2048x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%y : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// Fewer terms, or rows, have narrower tiles.
// CHECK-LABEL: func.func @few_terms(
// CHECK: scf.forall {{.*}} = (0, 0) to (2048, 2048) step ({{.*}}, 128)
func.func @few_terms(%x: tensor<2048x1024xf32>, %w: tensor<1024x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<2048x1024xf32>, tensor<1024x2048xf32>) outs(%y : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// CHECK-LABEL: func.func @few_rows(
// CHECK: scf.forall {{.*}} = (0, 0) to (512, 2048) step ({{.*}}, 128)
func.func @few_rows(%x: tensor<512x2048xf32>, %w: tensor<2048x2048xf32>, %y: tensor<512x2048xf32>) -> tensor<512x2048xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<512x2048xf32>, tensor<2048x2048xf32>) outs(%y : tensor<512x2048xf32>) -> tensor<512x2048xf32>
  return %0 : tensor<512x2048xf32>
}

// One row of 16 bits takes all terms of rows that come from memory; those that a cache holds it takes in steps.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: scf.for {{.*}} step
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (j, k)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @one_row(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xbf16>, %y: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<1x4096xbf16>, tensor<4096x4096xbf16>) outs(%y : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}

// CHECK-LABEL: func.func @near_row(
// CHECK: scf.for {{.*}} step
func.func @near_row(%x: tensor<1x4096xbf16>, %w: tensor<1024x4096xbf16>, %y: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<1x4096xbf16>, tensor<1024x4096xbf16>) outs(%y : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %0 : tensor<1x1024xf32>
}
