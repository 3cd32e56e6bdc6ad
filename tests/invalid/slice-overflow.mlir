// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>) {
// CHECK: slice-overflow.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op the slice of dim 1 ends beyond 64 bits{{$}}
  %0 = tensor.extract_slice %a[0, 9223372036854775807] [4, 2] [1, 1] : tensor<4x8xf32> to tensor<4x2xf32>
  return
}
