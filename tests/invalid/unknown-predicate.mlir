// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: unknown-predicate.mlir:[[@LINE+1]]:19: error: expected a predicate such as 'oeq'{{$}}
  %0 = arith.cmpf sideways, %a, %a : f32
  return
}
