// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: extract-slice-out-of-bounds.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op the slice of dim 0 runs from 2 to 5, but its extent is 4{{$}}
  %0 = tensor.extract_slice %a[2, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  return %c : tensor<4x4xf32>
}
