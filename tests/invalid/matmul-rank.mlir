// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
// CHECK: matmul-rank.mlir:[[@LINE+1]]:8: error: 'linalg.matmul' op operand 0 must have rank 2, not 1{{$}}
  %0 = linalg.matmul ins(%a, %b : tensor<4xf32>, tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
