// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>) {
// CHECK: vector-extract-position.mlir:[[@LINE+1]]:8: error: 'vector.extract' op position 0 is 4, but the extent is 4{{$}}
  %0 = vector.extract %v[4] : vector<8xf32> from vector<4x8xf32>
  return
}
