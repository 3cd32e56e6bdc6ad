// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f64, %v: vector<4x8xf32>) {
// CHECK: vector-insert-part.mlir:[[@LINE+1]]:8: error: 'vector.insert' op must insert f32 here, not f64{{$}}
  %0 = "vector.insert"(%x, %v) <{static_position = array<i64: 0, 0>}> : (f64, vector<4x8xf32>) -> vector<4x8xf32>
  return
}
