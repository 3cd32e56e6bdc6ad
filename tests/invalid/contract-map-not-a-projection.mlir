// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>) {
// CHECK: contract-map-not-a-projection.mlir:[[@LINE+1]]:8: error: 'linalg.contract' op dim 1 of operand 0 is accessed from 1 to 4, but has extent 4{{$}}
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k + 1)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
