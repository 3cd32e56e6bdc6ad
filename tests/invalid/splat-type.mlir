// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f64) -> tensor<4xf32> {
// CHECK: splat-type.mlir:[[@LINE+1]]:8: error: 'tensor.splat' op cannot fill tensor<4xf32> with f64{{$}}
  %0 = tensor.splat %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
