// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
// CHECK: elementwise-kind-of-product.mlir:[[@LINE+1]]:32: error: unknown kind of 'linalg.elementwise': matmul{{$}}
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<matmul> ins(%a, %a : tensor<3x3xf32>, tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
