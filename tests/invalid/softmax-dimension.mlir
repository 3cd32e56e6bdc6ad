// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: softmax-dimension.mlir:[[@LINE+1]]:8: error: 'linalg.softmax' op needs one input, and 'dimension' below its rank, 2{{$}}
  %0 = linalg.softmax dimension(2) ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
