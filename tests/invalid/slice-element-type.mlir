// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
// CHECK: slice-element-type.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op cannot be between tensor<4xf32> and tensor<2xf64>{{$}}
  %0 = tensor.extract_slice %a[0] [2] [1] : tensor<4xf32> to tensor<2xf64>
  return
}
