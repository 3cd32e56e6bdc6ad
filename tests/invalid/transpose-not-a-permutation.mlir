// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: transpose-not-a-permutation.mlir:[[@LINE+1]]:8: error: 'linalg.transpose' op 'permutation' must be distinct dims below 2{{$}}
  %0 = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%b : tensor<8x4xf32>) permutation = [1, 1]
  return %c : tensor<4x4xf32>
}
