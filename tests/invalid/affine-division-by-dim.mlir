// RUN: %reject opt %s | FileCheck %s
// CHECK: affine-division-by-dim.mlir:[[@LINE+1]]:42: error: the right side of a division or 'mod' must be a positive constant{{$}}
#m = affine_map<(d0, d1) -> (d0 floordiv d1)>
func.func @f() {
  return
}
