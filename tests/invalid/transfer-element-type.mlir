// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>, %i: index, %p: f64) {
// CHECK: transfer-element-type.mlir:[[@LINE+1]]:8: error: 'vector.transfer_read' op cannot transfer between memref<4xf32> and vector<4xf64>{{$}}
  %0 = vector.transfer_read %m[%i], %p : memref<4xf32>, vector<4xf64>
  return
}
