// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>) {
// CHECK: tensor-op-on-memref.mlir:[[@LINE+1]]:8: error: 'tensor.cast' op works on tensors, not on memref<4xf32>{{$}}
  %0 = tensor.cast %m : memref<4xf32> to memref<?xf32>
  return
}
