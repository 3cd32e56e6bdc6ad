// RUN: %reject opt %s | FileCheck %s
func.func @f() -> f32 {
// CHECK: constant-type-mismatch.mlir:[[@LINE+1]]:8: error: 'arith.constant' op the value 1 : i32 does not fit the type f32{{$}}
  %c = "arith.constant"() <{value = 1 : i32}> : () -> f32
  return %c : f32
}
