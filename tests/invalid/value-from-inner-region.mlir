// RUN: %reject opt %s | FileCheck %s
func.func @f(%c: i1, %a: f32) -> f32 {
  scf.if %c {
    %0 = arith.addf %a, %a : f32
  }
// CHECK: value-from-inner-region.mlir:[[@LINE+1]]:10: error: use of undefined value '%0'{{$}}
  return %0 : f32
}
