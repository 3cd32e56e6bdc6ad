// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32>, %i: index, %p: f32) {
// CHECK: transfer-map-repeats.mlir:[[@LINE+1]]:8: error: 'vector.transfer_read' op the permutation map must consist of distinct dims and 0{{$}}
  %0 = vector.transfer_read %m[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d1, d1)>} : memref<4x4xf32>, vector<4x4xf32>
  return
}
