// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<2x3x12xf32>, %w: tensor<4x3x3xf32>, %o: tensor<2x4x10xf32>) -> tensor<2x4x10xf32> {
// CHECK: window-too-far.mlir:[[@LINE+1]]:8: error: 'linalg.conv_1d_ncw_fcw' op dim 2 of operand 0 is accessed from 0 to 20, but has extent 12{{$}}
  %0 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x3x12xf32>, tensor<4x3x3xf32>) outs(%o : tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
  return %0 : tensor<2x4x10xf32>
}
