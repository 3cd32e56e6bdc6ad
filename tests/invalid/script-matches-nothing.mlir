// RUN: %reject opt %s | FileCheck %s
func.func @f() {
  return
}
transform.sequence failures(propagate) {
^bb0(%arg0: !transform.any_op):
// CHECK: script-matches-nothing.mlir:[[@LINE+1]]:8: error: 'transform.structured.match' op matches no op{{$}}
  %0 = transform.structured.match attributes {__root__} in %arg0 : (!transform.any_op) -> !transform.any_op
  %1, %loops:1 = transform.structured.fuse_ext %0 {tile_sizes = [4], tile_interchange = [0]}
  cleanup
}
