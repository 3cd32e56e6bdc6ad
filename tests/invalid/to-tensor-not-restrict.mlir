// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
// CHECK: to-tensor-not-restrict.mlir:[[@LINE+1]]:8: error: 'bufferization.to_tensor' op needs 'restrict': the memref must not overlap other arguments{{$}}
  %x = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return
}
