// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp {__root__} ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
transform.sequence failures(propagate) {
^bb0(%arg0: !transform.any_op):
  %0 = transform.structured.match attributes {__root__} in %arg0 : (!transform.any_op) -> !transform.any_op
// CHECK: script-interchange-not-a-permutation.mlir:[[@LINE+1]]:18: error: 'transform.structured.fuse_ext' op 'tile_interchange' must be a permutation{{$}}
  %1, %loops:2 = transform.structured.fuse_ext %0 {tile_sizes = [2, 2], tile_interchange = [0, 0]}
  cleanup
}
