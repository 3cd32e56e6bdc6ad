// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
  %c = arith.constant 3 : index
// CHECK: dim-out-of-range.mlir:[[@LINE+1]]:8: error: 'tensor.dim' op tensor<4xf32> has no dim 3{{$}}
  %0 = tensor.dim %a, %c : tensor<4xf32>
  return
}
