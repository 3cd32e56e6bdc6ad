// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: expand-shape-product.mlir:[[@LINE+1]]:8: error: 'tensor.expand_shape' op dim 1 of tensor<4x8xf32> does not match the product of its group{{$}}
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 3, 2] : tensor<4x8xf32> into tensor<4x3x2xf32>
  return %c : tensor<4x4xf32>
}
