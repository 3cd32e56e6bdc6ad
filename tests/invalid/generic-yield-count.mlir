// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
// CHECK: generic-yield-count.mlir:[[@LINE+1]]:5: error: 'linalg.yield' op must pass on 1 value, not 0{{$}}
    linalg.yield
  } -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
