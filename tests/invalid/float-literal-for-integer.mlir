// RUN: %reject opt %s | FileCheck %s
func.func @f() -> i32 {
// CHECK: float-literal-for-integer.mlir:[[@LINE+1]]:23: error: expected an integer for i32{{$}}
  %c = arith.constant 1.5 : i32
  return %c : i32
}
