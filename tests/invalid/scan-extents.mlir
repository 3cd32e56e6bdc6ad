// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<3x4xf32>, %out: tensor<3x4xf32>, %last: tensor<4xf32>) -> tensor<3x4xf32> {
// CHECK: scan-extents.mlir:[[@LINE+1]]:10: error: 'tm_tensor.scan' op scans tensor<3x4xf32>, so its outs cannot be tensor<3x4xf32> and tensor<4xf32>{{$}}
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x4xf32>) outs(%out, %last : tensor<3x4xf32>, tensor<4xf32>) {
  ^bb0(%before: f32, %next: f32):
    %sum = arith.addf %before, %next : f32
    tm_tensor.yield %sum : f32
  } -> tensor<3x4xf32>, tensor<4xf32>
  return %0#0 : tensor<3x4xf32>
}
