// RUN: %reject opt %s | FileCheck %s
// CHECK: memref-stride-count.mlir:[[@LINE+1]]:34: error: expected 2 strides, one a dimension{{$}}
func.func @f(%a: memref<4x4xf32, strided<[4]>>) {
  return
}
