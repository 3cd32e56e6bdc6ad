// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32, %i: index) {
// CHECK: dim-on-scalar.mlir:[[@LINE+1]]:8: error: 'tensor.dim' op works on tensors, not on f32{{$}}
  %0 = tensor.dim %a, %i : f32
  return
}
