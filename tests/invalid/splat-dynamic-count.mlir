// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f32, %n: index) -> tensor<4x?xf32> {
// CHECK: splat-dynamic-count.mlir:[[@LINE+1]]:8: error: 'tensor.splat' op needs one size for each of the 1 dynamic dims, got 2{{$}}
  %0 = tensor.splat %x[%n, %n] : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
