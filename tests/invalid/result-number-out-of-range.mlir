// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
// CHECK: result-number-out-of-range.mlir:[[@LINE+1]]:12: error: '%0' stands for 1 value, numbered from 0{{$}}
  return %0#1 : f32
}
