// RUN: not tcc-attn opt %s 2>&1 | FileCheck %s
func.func @f(%v: vector<8xf32>, %w: vector<4xf16>) {
// CHECK: shuffle-types.mlir:[[@LINE+1]]:8: error: 'vector.shuffle' op takes two vectors of one dim and one type of elements, not vector<8xf32> and vector<4xf16>{{$}}
  %0 = vector.shuffle %v, %w [0] : vector<8xf32>, vector<4xf16>
  return
}
