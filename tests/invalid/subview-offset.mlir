// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xf32>) {
// CHECK: subview-offset.mlir:[[@LINE+1]]:8: error: 'memref.subview' op the offset of the result must be 8, not that of memref<4x8xf32>{{$}}
  %0 = memref.subview %m[1, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32>
  return
}
