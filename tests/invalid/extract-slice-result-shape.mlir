// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: extract-slice-result-shape.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op dim 0 of the slice does not occur in tensor<3x8xf32>{{$}}
  %0 = tensor.extract_slice %a[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>
  return %c : tensor<4x4xf32>
}
