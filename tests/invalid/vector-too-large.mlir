// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: vector-too-large.mlir:[[@LINE+1]]:8: error: 'vector.broadcast' op makes a vector of more than 1048576 elements{{$}}
  %0 = vector.broadcast %a : f32 to vector<1048577xf32>
  return
}
