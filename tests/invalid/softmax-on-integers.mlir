// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xi32>) {
// CHECK: softmax-on-integers.mlir:[[@LINE+1]]:8: error: 'linalg.softmax' op works on floats, not on tensor<4x4xi32>{{$}}
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x4xi32>) outs(%a : tensor<4x4xi32>) -> tensor<4x4xi32>
  return
}
