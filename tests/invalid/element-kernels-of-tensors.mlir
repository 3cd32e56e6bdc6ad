// RUN: %reject opt %s --passes=element-kernels | FileCheck %s
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: element-kernels-of-tensors.mlir:[[@LINE+1]]:8: error: 'linalg.add' op works on tensors; kernels are made of ops on memrefs: run bufferize first{{$}}
  %r = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
