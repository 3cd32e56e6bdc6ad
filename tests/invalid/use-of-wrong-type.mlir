// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: use-of-wrong-type.mlir:[[@LINE+1]]:8: error: 'arith.addf' op requires one type for all operands and results, got f32 and f64{{$}}
  %0 = arith.addf %a, %a : f64
  return
}
