// RUN: %reject opt %s | FileCheck %s
// CHECK: affine-division-by-zero.mlir:[[@LINE+1]]:38: error: the right side of a division or 'mod' must be a positive constant{{$}}
#m = affine_map<(d0) -> (d0 floordiv 0)>
func.func @f(%i: index) -> index {
  %0 = affine.apply #m(%i)
  return %0 : index
}
