// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f32) {
// CHECK: from-elements-count.mlir:[[@LINE+1]]:8: error: 'tensor.from_elements' op tensor<3xf32> cannot hold exactly 2 elements{{$}}
  %0 = tensor.from_elements %x, %x : tensor<3xf32>
  return
}
