// Sliding-window attention over sizes that no tile divides: tiles outside of the window are left out, and the numbers stay.
// RUN: tcc-attn run %s --random --check --verify | FileCheck %s
// RUN: tcc-attn compile %s --emit=mlir --dump=trim -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUNDS
// CHECK: check: result 0: {{.*}}: good
// BOUNDS: affine.max
// BOUNDS: affine.min
// BOUNDS: scf.for
func.func @attention(%query: tensor<2x333x64xf32>, %key: tensor<2x333x64xf32>, %value: tensor<2x333x64xf32>) -> tensor<2x333x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %ke = tensor.empty() : tensor<2x64x333xf32>
  %kt = linalg.transpose ins(%key : tensor<2x333x64xf32>) outs(%ke : tensor<2x64x333xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<2x333x333xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<2x333x333xf32>) -> tensor<2x333x333xf32>
  %scores = linalg.batch_matmul ins(%query, %kt : tensor<2x333x64xf32>, tensor<2x64x333xf32>) outs(%sz : tensor<2x333x333xf32>) -> tensor<2x333x333xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x333x333xf32>) outs(%se : tensor<2x333x333xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %qi = linalg.index 1 : index
    %ki = linalg.index 2 : index
    %v = arith.cmpi sgt, %ki, %qi : index
    %masked0 = arith.select %v, %hidden, %product : f32
    %c100 = arith.constant 100 : index
    %low = arith.subi %qi, %c100 : index
    %v2 = arith.cmpi sge, %ki, %low : index
    %masked = arith.select %v2, %masked0, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<2x333x333xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<2x333x333xf32>) outs(%se : tensor<2x333x333xf32>) -> tensor<2x333x333xf32>
  %re = tensor.empty() : tensor<2x333x64xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<2x333x64xf32>) -> tensor<2x333x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x333x333xf32>, tensor<2x333x64xf32>) outs(%rz : tensor<2x333x64xf32>) -> tensor<2x333x64xf32>
  return %result : tensor<2x333x64xf32>
}
