// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
  %c = arith.constant -1 : index
// CHECK: for-negative-step.mlir:[[@LINE+1]]:3: error: 'scf.for' op the step must be positive{{$}}
  scf.for %k = %i to %i step %c {
  }
  return
}
