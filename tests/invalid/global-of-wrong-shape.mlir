// RUN: %reject opt %s | FileCheck %s
// CHECK: global-of-wrong-shape.mlir:[[@LINE+1]]:1: error: 'memref.global' op the initial value tensor<2xf32> does not fit memref<4xf32>{{$}}
memref.global "private" constant @g : memref<4xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @f() {
  return
}
