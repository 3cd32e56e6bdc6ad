// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: alloc-size-count.mlir:[[@LINE+1]]:8: error: 'memref.alloc' op needs one size for each of the 2 dynamic dims, got 1{{$}}
  %0 = memref.alloc(%i) : memref<?x?xf32>
  return
}
