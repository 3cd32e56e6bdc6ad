// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32, %i: index) {
// CHECK: for-bound-type.mlir:[[@LINE+1]]:3: error: 'scf.for' op the bounds must be indices or integers, not f32{{$}}
  scf.for %k = %a to %i step %i {
  }
  return
}
