// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<8xf32>) {
// CHECK: expand-output-shape.mlir:[[@LINE+1]]:8: error: 'tensor.expand_shape' op dim 0 of the output shape does not match tensor<2x4xf32>{{$}}
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<2x4xf32>
  return
}
