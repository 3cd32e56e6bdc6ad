// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f32) -> tensor<4x4xf32> {
// CHECK: generate-arguments.mlir:[[@LINE+1]]:8: error: 'tensor.generate' op the region must have 2 arguments, not 1{{$}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %x : f32
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
