// RUN: not tcc-attn opt %s 2>&1 | FileCheck %s
func.func @f(%v: vector<4x7xf32>) {
// CHECK: deinterleave-odd.mlir:[[@LINE+1]]:10: error: 'vector.deinterleave' op takes a vector with an even number of elements in its last dim, not vector<4x7xf32>{{$}}
  %0:2 = vector.deinterleave %v : vector<4x7xf32> -> vector<4x3xf32>
  return
}
