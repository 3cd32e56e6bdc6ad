// RUN: not tcc-attn opt %s 2>&1 | FileCheck %s
func.func @f(%v: vector<4x8xf32>, %w: vector<4x4xf32>) {
// CHECK: interleave-types.mlir:[[@LINE+1]]:8: error: 'vector.interleave' op takes two vectors of one type, not vector<4x8xf32> and vector<4x4xf32>{{$}}
  %0 = vector.interleave %v, %w : vector<4x8xf32> -> vector<4x16xf32>
  return
}
