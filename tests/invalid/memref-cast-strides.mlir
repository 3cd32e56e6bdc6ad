// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8xf32, strided<[2]>>) {
// CHECK: memref-cast-strides.mlir:[[@LINE+1]]:8: error: 'memref.cast' op cannot cast memref<8xf32, strided<[2]>> to memref<8xf32>{{$}}
  %0 = memref.cast %m : memref<8xf32, strided<[2]>> to memref<8xf32>
  return
}
