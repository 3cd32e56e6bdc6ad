// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f32) {
// CHECK: outs-of-scalar.mlir:[[@LINE+1]]:49: error: the result types of 'linalg.fill' are those of its tensor outs{{$}}
  %0 = linalg.fill ins(%x : f32) outs(%x : f32) -> f32
  return
}
