// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<6xf32>, %shape: tensor<2xindex>) -> tensor<2x4xf32> {
// CHECK: reshape-elements.mlir:[[@LINE+1]]:8: error: 'tensor.reshape' op cannot reshape tensor<6xf32> to tensor<2x4xf32>{{$}}
  %r = tensor.reshape %x(%shape) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
