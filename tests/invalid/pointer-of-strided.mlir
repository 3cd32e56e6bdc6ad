// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32, strided<[2]>>) {
// CHECK: pointer-of-strided.mlir:[[@LINE+1]]:8: error: 'memref.extract_aligned_pointer_as_index' op takes the address of row-major memory, not of memref<4xf32, strided<[2]>>{{$}}
  %0 = memref.extract_aligned_pointer_as_index %m : memref<4xf32, strided<[2]>> -> index
  return
}
