// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>) {
// CHECK: reassociation-order.mlir:[[@LINE+1]]:8: error: 'tensor.collapse_shape' op 'reassociation' must list the 2 dims of tensor<4x8xf32> in order{{$}}
  %0 = tensor.collapse_shape %a [[1, 0]] : tensor<4x8xf32> into tensor<32xf32>
  return
}
