// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>, %i: index, %v: vector<2xindex>, %k: vector<4xi1>, %p: vector<4xf32>) {
// CHECK: gather-index-shape.mlir:[[@LINE+1]]:8: error: 'vector.gather' op the vector of indices must have the shape of the result{{$}}
  %0 = vector.gather %m[%i] [%v], %k, %p : memref<4xf32>, vector<2xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}
