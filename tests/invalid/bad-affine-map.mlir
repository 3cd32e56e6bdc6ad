// RUN: %reject opt %s | FileCheck %s
// CHECK: bad-affine-map.mlir:[[@LINE+1]]:26: error: 'd1' is not a dimension or symbol of this map{{$}}
#m = affine_map<(d0) -> (d1)>
func.func @f() {
  return
}
