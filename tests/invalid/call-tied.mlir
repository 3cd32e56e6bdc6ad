// RUN: %reject compile %s --emit=asm -o %t | FileCheck %s
func.func @copy(%t: tensor<4xf32>, %m: memref<4xf32>) {
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @twice(%t: tensor<4xf32>, %m: memref<4xf32>) {
// CHECK: call-tied.mlir:[[@LINE+1]]:3: error: 'func.call' op cannot call a function that makes a tensor of a memref argument{{$}}
  func.call @copy(%t, %m) : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
