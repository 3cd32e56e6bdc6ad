// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: return-in-loop.mlir:[[@LINE+1]]:3: error: 'scf.for' op region 0 must end in 'scf.yield'{{$}}
  scf.for %k = %i to %i step %i {
    return
  }
  return
}
