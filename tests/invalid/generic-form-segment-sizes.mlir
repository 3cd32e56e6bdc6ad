// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
// CHECK: generic-form-segment-sizes.mlir:[[@LINE+1]]:8: error: 'operandSegmentSizes' does not fit the operands{{$}}
  %0 = "linalg.copy"(%a, %a) <{operandSegmentSizes = array<i32: 3, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
