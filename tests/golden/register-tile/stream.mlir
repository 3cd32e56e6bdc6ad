// Few rows read the other factor in place, where its rows lie far apart and requests get lost: the register tiles, of up to
// twelve rows, ask for what one two tiles further reads, at the same term, of this step or of the next one.
// RUN: tcc-attn compile %s --target=host:znver5 --cores=2 --emit=mlir -o - --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --cores=2 --emit=mlir -o - --verify | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn run %s --func=eight --target=host --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=sixteen --target=host --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=ragged --target=host --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=turned --target=host --random --check 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}

// CHECK-DAG: #[[STEP:.*]] = affine_map<(d0, d1) -> (d0 + (((d1 + 64) floordiv 1024) * 64))>
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0) -> ((d0 + 64) mod 1024)>
// CHECK-LABEL: func.func @eight(
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %c32
// CHECK: %[[AT:.*]] = affine.apply #[[NEXT]](%[[COLUMN]])
// CHECK: %[[ROW:.*]] = affine.apply #[[STEP]](%[[TERM:.*]], %[[COLUMN]])
// CHECK: vector_ext.prefetch %[[B:.*]][%[[ROW]], %[[AT]]]
// CHECK: vector_ext.prefetch %[[B]][%[[ROW]],
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.transfer_read %[[B]][%[[TERM]], %[[COLUMN]]], %{{[^ ]*}} {in_bounds = [true, true]} : memref<64x1024xf32
// CHECK: vector.contract {{.*}} vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
// CHECK: return
// OTHER-LABEL: func.func @eight(
// OTHER-NOT: vector_ext.prefetch
// OTHER: return
func.func @eight(%a: tensor<8x512xf32>, %b: tensor<512x2048xf32>) -> tensor<8x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %r = linalg.matmul ins(%a, %b : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%f : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  return %r : tensor<8x2048xf32>
}

// Of two tiles of rows each asks for one of the two lines. Sums of more than eight rows whole pages apart have memory of
// their own.
// CHECK-LABEL: func.func @sixteen(
// CHECK: %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<16x512xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
// CHECK: vector.transfer_read %[[SUMS]]
// CHECK: vector_ext.prefetch
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.contract {{.*}} vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[SUMS]]
// CHECK: return
func.func @sixteen(%a: tensor<16x512xf32>, %b: tensor<512x2048xf32>) -> tensor<16x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  %r = linalg.matmul ins(%a, %b : tensor<16x512xf32>, tensor<512x2048xf32>) outs(%f : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  return %r : tensor<16x2048xf32>
}

// A number of columns that is not known to be whole tiles: each read asks a step ahead.
// CHECK-LABEL: func.func @ragged(
// CHECK-NOT: vector_ext.prefetch
// CHECK: tec.prefetch
// CHECK: return
func.func @ragged(%a: tensor<11x300xf32>, %b: tensor<300x1500xf32>) -> tensor<11x1500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<11x1500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<11x1500xf32>) -> tensor<11x1500xf32>
  %r = linalg.matmul ins(%a, %b : tensor<11x300xf32>, tensor<300x1500xf32>) outs(%f : tensor<11x1500xf32>) -> tensor<11x1500xf32>
  return %r : tensor<11x1500xf32>
}

// Where the rows of x W^T are lanes, a tile has eight rows of W, and asks for a line of each of the next one's with the
// terms of a line.
// CHECK-LABEL: func.func @turned(
// CHECK: scf.for %{{.*}} step %c16
// CHECK-COUNT-8: vector_ext.prefetch
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.contract {{.*}} vector<8x1xf32>, vector<1x16xf32> into vector<8x16xf32>
// CHECK: return
func.func @turned(%x: tensor<16x1024xf32>, %w: tensor<512x1024xf32>) -> tensor<16x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x512xf32>) -> tensor<16x512xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %w : tensor<16x1024xf32>, tensor<512x1024xf32>) outs(%f : tensor<16x512xf32>) -> tensor<16x512xf32>
  return %r : tensor<16x512xf32>
}
