// RUN: %reject opt %s | FileCheck %s
func.func @f(%o: tensor<4xf32>) {
// CHECK: generic-reduction-in-output.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op loop 0 is a reduction, but occurs in the subscripts of out 0{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["reduction"]} outs(%o : tensor<4xf32>) {
  ^bb0(%y: f32):
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return
}
