// Dims that are split and merged again in the same groups are what they were, whatever their extents. Exporters write
// linear layers of any length so: without this each elementwise op between two layers would be a kernel of its own.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --func=layer --random --check --dims=7
// RUN: tcc-attn explain %s | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: func.func private @there_and_back(
// CHECK-NEXT: return %arg0
func.func private @there_and_back(%x: tensor<?x32xf32>, %n: index) -> tensor<?x32xf32> {
  %split = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, %n, 32] : tensor<?x32xf32> into tensor<2x?x32xf32>
  %merged = tensor.collapse_shape %split [[0, 1], [2]] : tensor<2x?x32xf32> into tensor<?x32xf32>
  return %merged : tensor<?x32xf32>
}

// In other groups they are not.
// CHECK-LABEL: func.func private @other_groups(
// CHECK: tensor.collapse_shape
func.func private @other_groups(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %split = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, %m, %n] : tensor<?x?xf32> into tensor<2x?x?xf32>
  %merged = tensor.collapse_shape %split [[0], [1, 2]] : tensor<2x?x?xf32> into tensor<2x?xf32>
  %cast = tensor.cast %merged : tensor<2x?xf32> to tensor<?x?xf32>
  return %cast : tensor<?x?xf32>
}

// ONE: @layer
// ONE-NEXT: kernel 1: 2 products, a reduction, 2 elementwise steps
// ONE-NEXT: 1 kernel, with nothing in memory between
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @layer(%x: tensor<2x?x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x?x32xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<2x?x32xf32>
  %rows = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x32xf32> into tensor<?x32xf32>
  %e0 = tensor.empty(%rows) : tensor<?x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p0 = linalg.matmul ins(%flat, %w : tensor<?x32xf32>, tensor<32x32xf32>) outs(%f0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [2, %n, 32] : tensor<?x32xf32> into tensor<2x?x32xf32>
  %e1 = tensor.empty(%n) : tensor<2x?x32xf32>
  %squares = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x?x32xf32>) outs(%e1 : tensor<2x?x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<2x?x32xf32>
  %e2 = tensor.empty(%n) : tensor<2x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%squares : tensor<2x?x32xf32>) outs(%f2 : tensor<2x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<2x?xf32>
  %normed = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x?x32xf32>, tensor<2x?xf32>) outs(%e1 : tensor<2x?x32xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = math.rsqrt %total : f32
    %1 = arith.mulf %in, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x?x32xf32>
  %merged = tensor.collapse_shape %normed [[0, 1], [2]] : tensor<2x?x32xf32> into tensor<?x32xf32>
  %p1 = linalg.matmul ins(%merged, %w : tensor<?x32xf32>, tensor<32x32xf32>) outs(%f0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %z = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [2, %n, 32] : tensor<?x32xf32> into tensor<2x?x32xf32>
  return %z : tensor<2x?x32xf32>
}

// A dim of extent 1 that is added, and merged again beside others, never was.
// CHECK-LABEL: @unsplit
// CHECK-NEXT: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK-NEXT: return %[[FLAT]]
func.func @unsplit(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %split = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 3, 4, 1] : tensor<2x3x4xf32> into tensor<2x3x4x1xf32>
  %merged = tensor.collapse_shape %split [[0, 1], [2, 3]] : tensor<2x3x4x1xf32> into tensor<6x4xf32>
  return %merged : tensor<6x4xf32>
}

// Parts of what was split are merged with others: these are two reshapes.
// CHECK-LABEL: @across
// CHECK: tensor.expand_shape
// CHECK: tensor.collapse_shape
func.func @across(%x: tensor<6x5xf32>) -> tensor<2x15xf32> {
  %split = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %merged = tensor.collapse_shape %split [[0], [1, 2]] : tensor<2x3x5xf32> into tensor<2x15xf32>
  return %merged : tensor<2x15xf32>
}
