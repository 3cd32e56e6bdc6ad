// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>) {
// CHECK: vector-transpose-result.mlir:[[@LINE+1]]:8: error: 'vector.transpose' op must have a result of type vector<8x4xf32>, not vector<4x8xf32>{{$}}
  %0 = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<4x8xf32>
  return
}
