// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: generic-body-argument-type.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op argument 0 of the body must be of type f32, not f64{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x: f64, %y: f32):
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
