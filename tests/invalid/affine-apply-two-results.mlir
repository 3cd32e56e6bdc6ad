// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: affine-apply-two-results.mlir:[[@LINE+1]]:8: error: 'affine.apply' op the map must have one result{{$}}
  %0 = affine.apply affine_map<(d0) -> (d0, d0)>(%i)
  return
}
