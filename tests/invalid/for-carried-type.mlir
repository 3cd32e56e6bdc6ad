// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: f32) {
// CHECK: for-carried-type.mlir:[[@LINE+1]]:57: error: the result types are those of the values carried in{{$}}
  %0 = scf.for %k = %i to %i step %i iter_args(%x = %a) -> (f64) {
    scf.yield %x : f64
  }
  return
}
