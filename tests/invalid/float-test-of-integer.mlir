// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: vector<4xi32>) {
// CHECK: float-test-of-integer.mlir:[[@LINE+1]]:8: error: 'math.isnan' op works on floats, not on vector<4xi32>{{$}}
  %0 = math.isnan %a : vector<4xi32>
  return
}
