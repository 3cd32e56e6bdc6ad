// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: broadcast-dimension.mlir:[[@LINE+1]]:8: error: 'linalg.broadcast' op 'dimensions' must be distinct dims below 2{{$}}
  %0 = linalg.broadcast ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) dimensions = [5]
  return %c : tensor<4x4xf32>
}
