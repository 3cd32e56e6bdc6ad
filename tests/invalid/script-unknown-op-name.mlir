// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp {__root__} ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
// CHECK: script-unknown-op-name.mlir:[[@LINE+1]]:8: error: 'transform.structured.match' op looks for 'linalg.unknown', but there is no such op{{$}}
  %0 = transform.structured.match ops{["linalg.unknown"]} in %root : (!transform.any_op) -> !transform.any_op
}
