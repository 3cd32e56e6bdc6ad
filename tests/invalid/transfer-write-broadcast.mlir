// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4x4xf32>, %i: index, %v: vector<4xf32>) {
// CHECK: transfer-write-broadcast.mlir:[[@LINE+1]]:3: error: 'vector.transfer_write' op cannot write one element several times{{$}}
  vector.transfer_write %v, %m[%i, %i] {permutation_map = affine_map<(d0, d1) -> (0)>} : vector<4xf32>, memref<4x4xf32>
  return
}
