// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>) {
// CHECK: slice-offset-count.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op 'static_offsets' must have 2 entries{{$}}
  %0 = tensor.extract_slice %a[0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}
