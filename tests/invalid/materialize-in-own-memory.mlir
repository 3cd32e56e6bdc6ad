// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>) {
  %m = memref.alloc() : memref<4xf32>
// CHECK: materialize-in-own-memory.mlir:[[@LINE+1]]:3: error: 'bufferization.materialize_in_destination' op must stand in a function that is not private, and work on its argument{{$}}
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
