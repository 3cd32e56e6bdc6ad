// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4xf32>) {
// CHECK: broadcast-shape.mlir:[[@LINE+1]]:8: error: 'vector.broadcast' op cannot broadcast vector<4xf32> to vector<4x8xf32>{{$}}
  %0 = vector.broadcast %v : vector<4xf32> to vector<4x8xf32>
  return
}
