// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = tensor.extract_slice %a[0] [2] [1] {__root__} : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %0 = transform.structured.match attributes {__root__} in %root : (!transform.any_op) -> !transform.any_op
// CHECK: script-matches-an-unstructured-op.mlir:[[@LINE+1]]:18: error: 'transform.structured.fuse_ext' op is about 1 loop, but 'tensor.extract_slice' has 0{{$}}
  %1, %loops:1 = transform.structured.fuse_ext %0 {tile_sizes = [2], tile_interchange = [0]}
}
