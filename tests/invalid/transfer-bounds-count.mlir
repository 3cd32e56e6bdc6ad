// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32>, %i: index, %p: f32) {
// CHECK: transfer-bounds-count.mlir:[[@LINE+1]]:8: error: 'vector.transfer_read' op 'in_bounds' must have one entry a dim of vector<4x4xf32>{{$}}
  %0 = vector.transfer_read %m[%i, %i], %p {in_bounds = [true]} : memref<4x4xf32>, vector<4x4xf32>
  return
}
