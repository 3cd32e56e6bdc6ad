// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>, %i: index) {
// CHECK: extract-index-count.mlir:[[@LINE+1]]:8: error: 'tensor.extract' op needs 2 indices, got 1{{$}}
  %0 = tensor.extract %a[%i] : tensor<4x4xf32>
  return
}
