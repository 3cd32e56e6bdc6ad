// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
// CHECK: to-tensor-twice.mlir:[[@LINE+1]]:8: error: 'bufferization.to_tensor' op is the second for this memref{{$}}
  %y = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  return
}
