// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %c4 = arith.constant 4 : index
// CHECK: insert-out-of-bounds.mlir:[[@LINE+1]]:8: error: 'tensor.insert' op the subscript 4 is out of bounds: dim 0 has extent 4{{$}}
  %r = tensor.insert %v into %x[%c4] : tensor<4xf32>
  return %r : tensor<4xf32>
}
