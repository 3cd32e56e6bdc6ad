// RUN: %reject opt %s | FileCheck %s
// CHECK: affine-product-of-dims.mlir:[[@LINE+1]]:35: error: not affine: one side of '*' must be a constant or a symbol{{$}}
#m = affine_map<(d0, d1) -> (d0 * d1)>
func.func @f() {
  return
}
