// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>) {
// CHECK: slice-negative-offset.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op offset and size of dim 0 must not be negative{{$}}
  %0 = tensor.extract_slice %a[-1, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}
