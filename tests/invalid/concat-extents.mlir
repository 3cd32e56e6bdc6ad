// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<2x3xf32>) -> tensor<2x7xf32> {
// CHECK: concat-extents.mlir:[[@LINE+1]]:8: error: 'tensor.concat' op the extents along dim 1 do not add up to that of the result{{$}}
  %0 = tensor.concat dim(1) %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}
