// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: i32) {
// CHECK: float-op-on-integers.mlir:[[@LINE+1]]:8: error: 'arith.addf' op works on floats, not on i32{{$}}
  %0 = arith.addf %a, %a : i32
  return
}
