// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: generic-parallel-loop-not-in-output.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op loop 1 is parallel, but is missing from the subscripts of out 0{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
