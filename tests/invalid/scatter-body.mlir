// RUN: %reject opt %s | FileCheck %s
func.func @f(%updates: tensor<3x4xf32>, %indices: tensor<3x1xi64>, %into: tensor<8x4xf32>) -> tensor<8x4xf32> {
// CHECK: scatter-body.mlir:[[@LINE+1]]:8: error: 'tm_tensor.scatter' op needs a body with two arguments of type f32{{$}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%updates, %indices : tensor<3x4xf32>, tensor<3x1xi64>) outs(%into : tensor<8x4xf32>) {
  ^bb0(%update: f32):
    tm_tensor.yield %update : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
