// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: mask-bound-count.mlir:[[@LINE+1]]:8: error: 'vector.create_mask' op needs 2 bounds, got 1{{$}}
  %0 = vector.create_mask %i : vector<4x4xi1>
  return
}
