// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>) {
// CHECK: materialize-not-writable.mlir:[[@LINE+1]]:3: error: 'bufferization.materialize_in_destination' op needs 'writable'{{$}}
  bufferization.materialize_in_destination %t in restrict %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
