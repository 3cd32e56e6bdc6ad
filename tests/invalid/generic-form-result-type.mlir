// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: generic-form-result-type.mlir:[[@LINE+1]]:8: error: 'arith.cmpf' op must have a result of type i1, not f32{{$}}
  %0 = "arith.cmpf"(%a, %a) <{predicate = 1 : i64}> : (f32, f32) -> f32
  return
}
