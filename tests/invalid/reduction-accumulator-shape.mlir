// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>, %a: vector<8xf32>) {
// CHECK: reduction-accumulator-shape.mlir:[[@LINE+1]]:8: error: 'vector.multi_reduction' op must give vector<4xf32>{{$}}
  %0 = vector.multi_reduction <add>, %v, %a [1] : vector<4x8xf32> to vector<8xf32>
  return
}
