// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32>, %i: index) {
// CHECK: load-index-count.mlir:[[@LINE+1]]:8: error: 'memref.load' op needs 2 indices, got 1{{$}}
  %0 = memref.load %m[%i] : memref<4x4xf32>
  return
}
