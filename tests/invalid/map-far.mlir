// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<64xf32>, %o: tensor<12xf32>) -> tensor<12xf32> {
// CHECK: map-far.mlir:[[@LINE+1]]:8: error: 'linalg.generic' op dim 0 of operand 0 is accessed from -9223372036854775808 to 9223372036854775807, but has extent 64{{$}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 4611686018427387904)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%o : tensor<12xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
