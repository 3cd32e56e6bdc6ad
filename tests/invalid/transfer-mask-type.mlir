// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>, %i: index, %p: f32, %k: vector<8xi1>) {
// CHECK: transfer-mask-type.mlir:[[@LINE+1]]:8: error: 'vector.transfer_read' op the mask must be of type vector<4xi1>{{$}}
  %0 = vector.transfer_read %m[%i], %p, %k : memref<4xf32>, vector<4xf32>
  return
}
