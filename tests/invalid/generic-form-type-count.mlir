// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: generic-form-type-count.mlir:[[@LINE+1]]:31: error: expected 2 operand types, found 1{{$}}
  %0 = "arith.addf"(%a, %a) : (f32) -> f32
  return
}
