// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: missing-required-attribute.mlir:[[@LINE+1]]:8: error: 'arith.cmpf' requires attribute 'predicate'{{$}}
  %0 = "arith.cmpf"(%a, %a) : (f32, f32) -> i1
  return
}
