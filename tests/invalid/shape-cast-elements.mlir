// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xf32>) {
// CHECK: shape-cast-elements.mlir:[[@LINE+1]]:8: error: 'vector.shape_cast' op cannot cast vector<4x8xf32> to vector<31xf32>{{$}}
  %0 = vector.shape_cast %v : vector<4x8xf32> to vector<31xf32>
  return
}
