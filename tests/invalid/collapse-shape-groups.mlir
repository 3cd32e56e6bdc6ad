// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: collapse-shape-groups.mlir:[[@LINE+1]]:8: error: 'tensor.collapse_shape' op dim 0 of tensor<32xf32> does not match the product of its group{{$}}
  %0 = tensor.collapse_shape %a [[0]] : tensor<4x8xf32> into tensor<32xf32>
  return %c : tensor<4x4xf32>
}
