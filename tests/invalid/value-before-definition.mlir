// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) -> f32 {
// CHECK: value-before-definition.mlir:[[@LINE+1]]:19: error: use of undefined value '%0'{{$}}
  %1 = arith.addf %0, %a : f32
  %0 = arith.addf %a, %a : f32
  return %1 : f32
}
