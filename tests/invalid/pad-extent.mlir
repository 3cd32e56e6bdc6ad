// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %x: f32) {
// CHECK: pad-extent.mlir:[[@LINE+1]]:8: error: 'tensor.pad' op dim 0 is padded to 6, but has extent 7 in the result{{$}}
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %x : f32
  } : tensor<4xf32> to tensor<7xf32>
  return
}
