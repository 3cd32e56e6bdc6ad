// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8xf32>, %n: memref<4xf32>) {
// CHECK: memref-copy-shapes.mlir:[[@LINE+1]]:3: error: 'memref.copy' op cannot copy memref<8xf32> to memref<4xf32>{{$}}
  memref.copy %m, %n : memref<8xf32> to memref<4xf32>
  return
}
