// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: alloc-strided.mlir:[[@LINE+1]]:8: error: 'memref.alloc' op allocates row-major memory, not memref<4xf32, strided<[2]>>{{$}}
  %0 = memref.alloc() : memref<4xf32, strided<[2]>>
  return
}
