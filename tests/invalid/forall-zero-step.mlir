// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: forall-zero-step.mlir:[[@LINE+1]]:3: error: 'scf.forall' op the step of loop 0 must be positive{{$}}
  scf.forall (%k) = (0) to (8) step (0) {
  }
  return
}
