// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xf32>) {
// CHECK: subview-strides.mlir:[[@LINE+1]]:8: error: 'memref.subview' op dim 0 of the slice does not occur in memref<8x4xf32> with its size and stride{{$}}
  %0 = memref.subview %m[0, 0] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32>
  return
}
