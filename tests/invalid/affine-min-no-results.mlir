// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: affine-min-no-results.mlir:[[@LINE+1]]:8: error: 'affine.min' op the map must have at least one result{{$}}
  %0 = affine.min affine_map<(d0) -> ()>(%i)
  return
}
