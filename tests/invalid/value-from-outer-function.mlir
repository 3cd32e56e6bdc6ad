// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
  return
}
func.func @g() -> f32 {
// CHECK: value-from-outer-function.mlir:[[@LINE+1]]:10: error: use of undefined value '%a'{{$}}
  return %a : f32
}
