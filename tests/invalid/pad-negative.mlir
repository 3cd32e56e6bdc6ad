// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %x: f32) {
// CHECK: pad-negative.mlir:[[@LINE+1]]:8: error: 'tensor.pad' op the padding of dim 0 must not be negative{{$}}
  %0 = tensor.pad %a low[-1] high[1] {
  ^bb0(%i: index):
    tensor.yield %x : f32
  } : tensor<4xf32> to tensor<4xf32>
  return
}
