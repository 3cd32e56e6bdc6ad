// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>, %a: vector<4xf32>) {
// CHECK: reduction-dims-repeat.mlir:[[@LINE+1]]:8: error: 'vector.multi_reduction' op 'reduction_dims' must be distinct dims of vector<4x8xf32>{{$}}
  %0 = vector.multi_reduction <add>, %v, %a [1, 1] : vector<4x8xf32> to vector<4xf32>
  return
}
