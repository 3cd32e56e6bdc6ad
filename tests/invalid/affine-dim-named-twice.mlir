// RUN: %reject opt %s | FileCheck %s
// CHECK: affine-dim-named-twice.mlir:[[@LINE+1]]:22: error: 'd0' is already a dimension or symbol of this map{{$}}
#m = affine_map<(d0, d0) -> (d0)>
func.func @f() {
  return
}
