// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%c : tensor<4x4xf32>) {
  ^bb0(%y: f32):
// CHECK: index-dim-out-of-range.mlir:[[@LINE+1]]:10: error: 'linalg.index' op asks for loop 7, but 'linalg.generic' has 2{{$}}
    %i = linalg.index 7 : index
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
