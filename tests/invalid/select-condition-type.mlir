// RUN: %reject opt %s | FileCheck %s
func.func @f(%c: i32, %a: f32) {
// CHECK: select-condition-type.mlir:[[@LINE+1]]:8: error: 'arith.select' op the condition must be i1, not i32{{$}}
  %0 = "arith.select"(%c, %a, %a) : (i32, f32, f32) -> f32
  return
}
