// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: float-test-gives-float.mlir:[[@LINE+1]]:8: error: 'math.isinf' op must have a result of type i1, not f32{{$}}
  %0 = "math.isinf"(%a) : (f32) -> f32
  return
}
