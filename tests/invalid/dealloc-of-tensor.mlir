// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
// CHECK: dealloc-of-tensor.mlir:[[@LINE+1]]:3: error: 'memref.dealloc' op works on memrefs, not on tensor<4xf32>{{$}}
  memref.dealloc %a : tensor<4xf32>
  return
}
