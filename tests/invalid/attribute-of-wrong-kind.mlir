// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: attribute-of-wrong-kind.mlir:[[@LINE+1]]:8: error: attribute 'predicate' of 'arith.cmpf' must be an integer of type i64{{$}}
  %0 = "arith.cmpf"(%a, %a) <{predicate = "oeq"}> : (f32, f32) -> i1
  return
}
