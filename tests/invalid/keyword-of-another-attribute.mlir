// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: keyword-of-another-attribute.mlir:[[@LINE+1]]:8: error: attribute 'fastmath' of 'arith.addf' must be a keyword of arith.fastmath{{$}}
  %0 = "arith.addf"(%a, %a) <{fastmath = #vector.kind<add>}> : (f32, f32) -> f32
  return
}
