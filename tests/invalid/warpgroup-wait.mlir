// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<32x4xf32>) {
// CHECK: warpgroup-wait.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_wait' op waits for up to 64 rows of two f32, not vector<32x4xf32>{{$}}
  %d = vector_ext.warpgroup_wait %v : vector<32x4xf32>
  return
}
