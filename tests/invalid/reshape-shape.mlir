// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<6xf32>, %shape: tensor<3xindex>) -> tensor<2x3xf32> {
// CHECK: reshape-shape.mlir:[[@LINE+1]]:8: error: 'tensor.reshape' op the shape of tensor<2x3xf32> must be 2 integers{{$}}
  %r = tensor.reshape %x(%shape) : (tensor<6xf32>, tensor<3xindex>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
