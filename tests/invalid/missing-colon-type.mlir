// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: missing-colon-type.mlir:[[@LINE+1]]:26: error: expected ':'{{$}}
  %0 = arith.addf %a, %a f32
  return
}
