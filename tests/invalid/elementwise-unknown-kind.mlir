// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
// CHECK: elementwise-unknown-kind.mlir:[[@LINE+1]]:32: error: unknown kind of 'linalg.elementwise': cube{{$}}
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<cube> ins(%a : tensor<3xf32>) outs(%a : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
