// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<?xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%out : tensor<3xf32>) {
  ^bb0(%o: f32):
    %c = arith.constant -1 : index
// CHECK: extract-negative.mlir:[[@LINE+1]]:10: error: 'tensor.extract' op the subscript -1 of dim 0 must not be negative{{$}}
    %v = tensor.extract %x[%c] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
