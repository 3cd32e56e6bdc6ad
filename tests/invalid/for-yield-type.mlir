// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: f32, %b: f64) {
  %0 = scf.for %k = %i to %i step %i iter_args(%x = %a) -> (f32) {
// CHECK: for-yield-type.mlir:[[@LINE+1]]:5: error: 'scf.yield' op value 0 must be of type f32, not f64{{$}}
    scf.yield %b : f64
  }
  return
}
