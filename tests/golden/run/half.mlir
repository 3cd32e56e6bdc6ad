// Causal attention behind 117 keys that were there before: the edge of what is visible cuts register tiles, and with them
// the two halves of their lanes, in other places than their ends.
// RUN: tcc-attn run %s --random --check --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir -o - | FileCheck %s --check-prefix=HALF
// CHECK: check: result 0: {{.*}}: good
// HALF: vector.extract_strided_slice {{.*}} {offsets = [0, 16]
func.func @attention(%query: tensor<2x96x64xf32>, %key: tensor<2x213x64xf32>, %value: tensor<2x213x64xf32>) -> tensor<2x96x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %ke = tensor.empty() : tensor<2x64x213xf32>
  %kt = linalg.transpose ins(%key : tensor<2x213x64xf32>) outs(%ke : tensor<2x64x213xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<2x96x213xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<2x96x213xf32>) -> tensor<2x96x213xf32>
  %scores = linalg.batch_matmul ins(%query, %kt : tensor<2x96x64xf32>, tensor<2x64x213xf32>) outs(%sz : tensor<2x96x213xf32>) -> tensor<2x96x213xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x96x213xf32>) outs(%se : tensor<2x96x213xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %qi = linalg.index 1 : index
    %ki = linalg.index 2 : index
    %cached = arith.constant 117 : index
    %last = arith.addi %qi, %cached : index
    %late = arith.cmpi sgt, %ki, %last : index
    %masked = arith.select %late, %hidden, %product : f32
    linalg.yield %masked : f32
  } -> tensor<2x96x213xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<2x96x213xf32>) outs(%se : tensor<2x96x213xf32>) -> tensor<2x96x213xf32>
  %re = tensor.empty() : tensor<2x96x64xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x96x213xf32>, tensor<2x213x64xf32>) outs(%rz : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %result : tensor<2x96x64xf32>
}
