// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<4x30xf32>, %t: tensor<?x16xf32>) -> tensor<4x30xf32> {
  %e = tensor.empty() : tensor<4x30xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x30xf32>) outs(%e : tensor<4x30xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
// CHECK: extract-index-out-of-bounds.mlir:[[@LINE+1]]:10: error: 'tensor.extract' op the subscript of dim 1 runs from 0 to 29, but its extent is 16{{$}}
    %y = tensor.extract %t[%i, %k] : tensor<?x16xf32>
    %z = arith.mulf %v, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x30xf32>
  return %r : tensor<4x30xf32>
}
