// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<2x3x12xf32>, %w: tensor<4x3x3xf32>, %o: tensor<2x4x10xf32>) -> tensor<2x4x10xf32> {
// CHECK: window-dilation-count.mlir:[[@LINE+1]]:8: error: 'linalg.conv_1d_ncw_fcw' op 'dilations' must be a dense list of 1 positive i64{{$}}
  %0 = linalg.conv_1d_ncw_fcw {dilations = dense<[1, 1]> : tensor<2xi64>} ins(%x, %w : tensor<2x3x12xf32>, tensor<4x3x3xf32>) outs(%o : tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
  return %0 : tensor<2x4x10xf32>
}
