// Keys and values of two heads for eight of queries, repeated as tensors: they are read where they are.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=grouped --random --check
// RUN: tcc-attn run %s --func=scaled --random --check
// CHECK-LABEL: @grouped (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing in memory between
func.func @grouped(%query: tensor<8x300x16xf32>, %key: tensor<2x300x16xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<8x300x16xf32> {
  %zero = arith.constant 0.0 : f32
  %repeated = tensor.empty() : tensor<2x4x300x16xf32>
  %keys = linalg.broadcast ins(%key : tensor<2x300x16xf32>) outs(%repeated : tensor<2x4x300x16xf32>) dimensions = [1]
  %k = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x4x300x16xf32> into tensor<8x300x16xf32>
  %values = linalg.broadcast ins(%value : tensor<2x300x16xf32>) outs(%repeated : tensor<2x4x300x16xf32>) dimensions = [1]
  %v = tensor.collapse_shape %values [[0, 1], [2], [3]] : tensor<2x4x300x16xf32> into tensor<8x300x16xf32>
  %te = tensor.empty() : tensor<8x16x300xf32>
  %t = linalg.transpose ins(%k : tensor<8x300x16xf32>) outs(%te : tensor<8x16x300xf32>) permutation = [0, 2, 1]
  %e = tensor.empty() : tensor<8x300x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x300x300xf32>) -> tensor<8x300x300xf32>
  %scores = linalg.batch_matmul ins(%query, %t : tensor<8x300x16xf32>, tensor<8x16x300xf32>)
      outs(%s0 : tensor<8x300x300xf32>) -> tensor<8x300x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x300x300xf32>) outs(%e : tensor<8x300x300xf32>)
      -> tensor<8x300x300xf32>
  %re = tensor.empty() : tensor<8x300x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<8x300x16xf32>) -> tensor<8x300x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x300x300xf32>, tensor<8x300x16xf32>)
      outs(%r0 : tensor<8x300x16xf32>) -> tensor<8x300x16xf32>
  return %result : tensor<8x300x16xf32>
}

// Scaled when they are repeated: the scale goes to the queries.
// CHECK-LABEL: @scaled (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing in memory between
func.func @scaled(%query: tensor<2x4x300x16xf32>, %key: tensor<2x300x16xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<2x4x300x16xf32> {
  %zero = arith.constant 0.0 : f32
  %root = arith.constant 0.3 : f32
  %te = tensor.empty() : tensor<2x4x16x300xf32>
  %keys = linalg.generic {indexing_maps = [affine_map<(h, g, d, k) -> (h, k, d)>, affine_map<(h, g, d, k) -> (h, g, d, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%key : tensor<2x300x16xf32>) outs(%te : tensor<2x4x16x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %root : f32
    linalg.yield %p : f32
  } -> tensor<2x4x16x300xf32>
  %e = tensor.empty() : tensor<2x4x300x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x300x300xf32>) -> tensor<2x4x300x300xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, g, q, k, d) -> (h, g, q, d)>,
      affine_map<(h, g, q, k, d) -> (h, g, d, k)>, affine_map<(h, g, q, k, d) -> (h, g, q, k)>]
      ins(%query, %keys : tensor<2x4x300x16xf32>, tensor<2x4x16x300xf32>) outs(%s0 : tensor<2x4x300x300xf32>)
      -> tensor<2x4x300x300xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x300x300xf32>) outs(%e : tensor<2x4x300x300xf32>)
      -> tensor<2x4x300x300xf32>
  %re = tensor.empty() : tensor<2x4x300x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4x300x16xf32>) -> tensor<2x4x300x16xf32>
  %result = linalg.contract indexing_maps = [affine_map<(h, g, q, d, k) -> (h, g, q, k)>,
      affine_map<(h, g, q, d, k) -> (h, k, d)>, affine_map<(h, g, q, d, k) -> (h, g, q, d)>]
      ins(%weights, %value : tensor<2x4x300x300xf32>, tensor<2x300x16xf32>) outs(%r0 : tensor<2x4x300x16xf32>)
      -> tensor<2x4x300x16xf32>
  return %result : tensor<2x4x300x16xf32>
}
