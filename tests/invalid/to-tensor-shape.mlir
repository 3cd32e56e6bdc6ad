// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
// CHECK: to-tensor-shape.mlir:[[@LINE+1]]:8: error: 'bufferization.to_tensor' op needs a tensor and a row-major memref of one shape, not tensor<5xf32> and memref<4xf32>{{$}}
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<5xf32>
  return
}
