// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>) {
// CHECK: slice-zero-stride.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op the stride of dim 1 must be positive{{$}}
  %0 = tensor.extract_slice %a[0, 0] [4, 8] [1, 0] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}
