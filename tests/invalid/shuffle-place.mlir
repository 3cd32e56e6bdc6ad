// RUN: not tcc-attn opt %s 2>&1 | FileCheck %s
func.func @f(%v: vector<8xf32>, %w: vector<4xf32>) {
// CHECK: shuffle-place.mlir:[[@LINE+1]]:8: error: 'vector.shuffle' op there is no element at place 12{{$}}
  %0 = vector.shuffle %v, %w [0, 12] : vector<8xf32>, vector<4xf32>
  return
}
