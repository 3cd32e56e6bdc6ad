// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
// CHECK: select-of-numbers.mlir:[[@LINE+1]]:8: error: 'arith.select' op the condition must be i1, not f32{{$}}
  %0 = linalg.select ins(%a, %a, %a : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%a : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
