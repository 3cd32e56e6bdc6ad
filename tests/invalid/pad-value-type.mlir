// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %x: f64) {
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
// CHECK: pad-value-type.mlir:[[@LINE+1]]:5: error: 'tensor.yield' op value 0 must be of type f32, not f64{{$}}
    tensor.yield %x : f64
  } : tensor<4xf32> to tensor<6xf32>
  return
}
