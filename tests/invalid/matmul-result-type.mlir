// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: matmul-result-type.mlir:[[@LINE+1]]:96: error: the result types of 'linalg.matmul' are those of its tensor outs{{$}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x5xf32>
  return %c : tensor<4x4xf32>
}
