// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>, %a: vector<4xf32>) {
// CHECK: reduction-unknown-kind.mlir:[[@LINE+1]]:8: error: 'vector.multi_reduction' op cannot combine elements of f32 by 'sum'{{$}}
  %0 = vector.multi_reduction <sum>, %v, %a [1] : vector<4x8xf32> to vector<4xf32>
  return
}
