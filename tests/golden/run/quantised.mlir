// Quantised keys and values: integers and a scale for each key. No wide ones are stored, whatever reads them, and all is
// one kernel.
// RUN: tcc-attn opt %s --passes=simplify,absorb-moves,simplify,raise,simplify,move-factors,simplify,merge-elementwise,schedule --target=host:x86-64-v3 | FileCheck %s
// RUN: tcc-attn run %s --random --check
// RUN: tcc-attn run %s --random --check --target=host:x86-64
// RUN: tcc-attn run %s --random --check --device=ptx-emu
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: tensor<2x193x64xf32>
// CHECK: scf.for
// CHECK: arith.sitofp
// CHECK: arith.sitofp
// CHECK: scf.forall.in_parallel
// CHECK-NOT: scf.forall (

#keys = affine_map<(h, k, d) -> (h, k, d)>
#scales = affine_map<(h, k, d) -> (h, k)>
#scores = affine_map<(h, q, k) -> (h, q, k)>

func.func @attention(%query: tensor<2x3x64xf32>, %narrow_key: tensor<2x193x64xi8>, %key_scale: tensor<2x193xf32>, %narrow_value: tensor<2x193x64xi8>, %value_scale: tensor<2x193xf32>) -> tensor<2x3x64xf32> {
  %key_empty_wide = tensor.empty() : tensor<2x193x64xf32>
  %key = linalg.generic {indexing_maps = [#keys, #scales, #keys], iterator_types = ["parallel", "parallel", "parallel"]} ins(%narrow_key, %key_scale : tensor<2x193x64xi8>, tensor<2x193xf32>) outs(%key_empty_wide : tensor<2x193x64xf32>) {
  ^bb0(%element: i8, %factor: f32, %out: f32):
    %wide = arith.sitofp %element : i8 to f32
    %product = arith.mulf %wide, %factor : f32
    linalg.yield %product : f32
  } -> tensor<2x193x64xf32>
  %value_empty_wide = tensor.empty() : tensor<2x193x64xf32>
  %value = linalg.generic {indexing_maps = [#keys, #scales, #keys], iterator_types = ["parallel", "parallel", "parallel"]} ins(%narrow_value, %value_scale : tensor<2x193x64xi8>, tensor<2x193xf32>) outs(%value_empty_wide : tensor<2x193x64xf32>) {
  ^bb0(%element: i8, %factor: f32, %out: f32):
    %wide = arith.sitofp %element : i8 to f32
    %product = arith.mulf %wide, %factor : f32
    linalg.yield %product : f32
  } -> tensor<2x193x64xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %key_empty = tensor.empty() : tensor<2x64x193xf32>
  %key_transposed = linalg.transpose ins(%key : tensor<2x193x64xf32>) outs(%key_empty : tensor<2x64x193xf32>) permutation = [0, 2, 1]
  %scores_empty = tensor.empty() : tensor<2x3x193xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<2x3x193xf32>) -> tensor<2x3x193xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<2x3x64xf32>, tensor<2x64x193xf32>) outs(%scores_zero : tensor<2x3x193xf32>) -> tensor<2x3x193xf32>
  %scaled = linalg.generic {indexing_maps = [#scores, #scores], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x3x193xf32>) outs(%scores_empty : tensor<2x3x193xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<2x3x193xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<2x3x193xf32>) outs(%scores_empty : tensor<2x3x193xf32>) -> tensor<2x3x193xf32>
  %result_empty = tensor.empty() : tensor<2x3x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x3x193xf32>, tensor<2x193x64xf32>)
      outs(%result_zero : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  return %result : tensor<2x3x64xf32>
}
