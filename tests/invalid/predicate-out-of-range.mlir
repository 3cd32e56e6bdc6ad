// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: predicate-out-of-range.mlir:[[@LINE+1]]:8: error: 'arith.cmpf' op has no predicate 99{{$}}
  %0 = "arith.cmpf"(%a, %a) <{predicate = 99 : i64}> : (f32, f32) -> i1
  return
}
