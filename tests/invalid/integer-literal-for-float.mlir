// RUN: %reject opt %s | FileCheck %s
func.func @f() -> f32 {
// CHECK: integer-literal-for-float.mlir:[[@LINE+1]]:23: error: expected a number with a decimal point, or the bits in hexadecimal, for f32{{$}}
  %c = arith.constant 1 : f32
  return %c : f32
}
