// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: forall-output-of-scalar.mlir:[[@LINE+1]]:8: error: 'scf.forall' op output 0 must be a tensor, and the result of its type{{$}}
  %0 = scf.forall (%k) in (8) shared_outs(%o = %a) -> (f32) {
    scf.forall.in_parallel {
    }
  }
  return
}
