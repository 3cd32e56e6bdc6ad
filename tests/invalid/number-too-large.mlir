// RUN: %reject opt %s | FileCheck %s
func.func @f() -> i64 {
// CHECK: number-too-large.mlir:[[@LINE+1]]:23: error: this integer does not fit in i64{{$}}
  %c = arith.constant 99999999999999999999999 : i64
  return %c : i64
}
