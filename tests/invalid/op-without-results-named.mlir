// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32, %m: memref<4xf32>, %i: index) {
// CHECK: op-without-results-named.mlir:[[@LINE+1]]:8: error: 'memref.store' gives 0 results, but 1 are named{{$}}
  %0 = memref.store %a, %m[%i] : memref<4xf32>
  return
}
