// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %o: tensor<4xf32>) {
// CHECK: generic-subscript-out-of-bounds.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op dim 0 of operand 0 is accessed from 1 to 4, but has extent 4{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return
}
