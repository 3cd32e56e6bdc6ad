// RUN: %reject opt %s | FileCheck %s
func.func @f(%c: tensor<3xi1>, %a: tensor<3xf32>) -> tensor<3xf32> {
// CHECK: select-two-inputs.mlir:[[@LINE+1]]:8: error: 'linalg.select' expects three inputs and one output{{$}}
  %0 = linalg.select ins(%c, %a : tensor<3xi1>, tensor<3xf32>) outs(%a : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
