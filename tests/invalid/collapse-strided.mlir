// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32, strided<[8, 1]>>) {
// CHECK: collapse-strided.mlir:[[@LINE+1]]:8: error: 'memref.collapse_shape' op the strides of dim 0 of memref<16xf32> do not match those of its group{{$}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32, strided<[8, 1]>> into memref<16xf32>
  return
}
