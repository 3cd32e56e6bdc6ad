// RUN: %reject opt %s | FileCheck %s
func.func private @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
// CHECK: to-tensor-private.mlir:[[@LINE+1]]:8: error: 'bufferization.to_tensor' op must stand in a function that is not private, and work on its argument{{$}}
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  return
}
