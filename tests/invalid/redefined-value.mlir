// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
  %0 = arith.addf %a, %a : f32
// CHECK: redefined-value.mlir:[[@LINE+2]]:3: error: redefinition of '%0'{{$}}
// CHECK: redefined-value.mlir:[[@LINE-2]]:3: note: first defined here{{$}}
  %0 = arith.mulf %a, %a : f32
  return
}
