// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<3xf32>, %c: tensor<13xf32>) -> tensor<13xf32> {
// CHECK: generic-quotient-out-of-bounds.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op dim 0 of operand 0 is accessed from 0 to 3, but has extent 3{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 4)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%a : tensor<3xf32>) outs(%c : tensor<13xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<13xf32>
  return %0 : tensor<13xf32>
}
