// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32, strided<[2]>>, %i: index) {
// CHECK: vector-load-strided.mlir:[[@LINE+1]]:8: error: 'vector.load' op the innermost dim of memref<4xf32, strided<[2]>> must be contiguous{{$}}
  %0 = vector.load %m[%i] : memref<4xf32, strided<[2]>>, vector<4xf32>
  return
}
