// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
// CHECK: cast-extent.mlir:[[@LINE+1]]:8: error: 'tensor.cast' op cannot cast tensor<4xf32> to tensor<5xf32>{{$}}
  %0 = tensor.cast %a : tensor<4xf32> to tensor<5xf32>
  return
}
