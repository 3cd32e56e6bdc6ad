// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>) {
// CHECK: vector-transpose-permutation.mlir:[[@LINE+1]]:8: error: 'vector.transpose' op 'permutation' must permute the dims of vector<4x8xf32>{{$}}
  %0 = vector.transpose %v, [0, 0] : vector<4x8xf32> to vector<4x4xf32>
  return
}
