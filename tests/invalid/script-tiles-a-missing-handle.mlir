// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp {__root__} ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
// CHECK: script-tiles-a-missing-handle.mlir:[[@LINE+1]]:48: error: use of undefined value '%nothing'{{$}}
  %1, %loops:2 = transform.structured.fuse_ext %nothing {tile_sizes = [2, 2], tile_interchange = [0, 1]}
}
