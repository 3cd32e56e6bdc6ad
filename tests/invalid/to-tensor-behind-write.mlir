// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
// CHECK: to-tensor-behind-write.mlir:[[@LINE+1]]:8: error: 'bufferization.to_tensor' op reads the memref behind where it was written{{$}}
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  return
}
