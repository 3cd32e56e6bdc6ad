// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f64) -> f32 {
  // CHECK: truncf-rounding.mlir:[[@LINE+1]]:8: error: 'arith.truncf' op rounds to nearest even only{{$}}
  %y = "arith.truncf"(%x) <{roundingmode = 1 : i32}> : (f64) -> f32
  return %y : f32
}
