// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<2x3xf32>) -> tensor<4x4xf32> {
// CHECK: concat-other-dims.mlir:[[@LINE+1]]:8: error: 'tensor.concat' op cannot put tensor<2x3xf32> into tensor<4x4xf32>{{$}}
  %0 = tensor.concat dim(0) %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
