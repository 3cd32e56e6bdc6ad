// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %i: index) {
// CHECK: load-from-tensor.mlir:[[@LINE+1]]:8: error: 'memref.load' op works on memrefs, not on tensor<4xf32>{{$}}
  %0 = memref.load %a[%i] : tensor<4xf32>
  return
}
