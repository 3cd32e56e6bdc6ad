// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: step-of-floats.mlir:[[@LINE+1]]:8: error: 'vector.step' op must give a vector of index, not vector<4xf32>{{$}}
  %0 = vector.step : vector<4xf32>
  return
}
