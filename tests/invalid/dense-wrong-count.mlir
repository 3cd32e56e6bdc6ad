// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<3xf32> {
// CHECK: dense-wrong-count.mlir:[[@LINE+1]]:23: error: the elements do not have the shape of 'tensor<3xf32>'{{$}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<3xf32>
  return %c : tensor<3xf32>
}
