// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<3x4xf32>, %y: tensor<3x4xi64>) -> tensor<3x4xf32> {
// CHECK: sort-dimension.mlir:[[@LINE+1]]:10: error: 'tm_tensor.sort' op needs a 'dimension' of tensor<3x4xf32>{{$}}
  %0:2 = tm_tensor.sort dimension(2) outs(%x, %y : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %before = arith.constant true
    tm_tensor.yield %before : i1
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return %0#0 : tensor<3x4xf32>
}
