// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
// CHECK: to-tensor-of-used.mlir:[[@LINE+1]]:3: error: 'linalg.exp' op uses a memref that 'bufferization.to_tensor' makes a tensor of{{$}}
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return
}
