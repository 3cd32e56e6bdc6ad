// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32>, %i: index, %p: f32) {
// CHECK: transfer-read-indices.mlir:[[@LINE+1]]:8: error: 'vector.transfer_read' op needs 2 indices, got 1{{$}}
  %0 = vector.transfer_read %m[%i], %p : memref<4x4xf32>, vector<4xf32>
  return
}
