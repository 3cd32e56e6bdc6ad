// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: insert-slice-source-shape.mlir:[[@LINE+1]]:8: error: 'tensor.insert_slice' op dim 1 of the slice does not occur in tensor<4x8xf32>{{$}}
  %0 = tensor.insert_slice %a into %c[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> into tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
