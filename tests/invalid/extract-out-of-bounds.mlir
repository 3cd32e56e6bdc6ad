// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<?x4xf32>, %i: index) -> f32 {
  %c9 = arith.constant 9 : index
// CHECK: extract-out-of-bounds.mlir:[[@LINE+1]]:8: error: 'tensor.extract' op the subscript 9 is out of bounds: dim 1 has extent 4{{$}}
  %r = tensor.extract %x[%c9, %c9] : tensor<?x4xf32>
  return %r : f32
}
