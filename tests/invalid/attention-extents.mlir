// RUN: %reject opt %s | FileCheck %s
#query = affine_map<(q, k, d, n) -> (q, d)>
#key = affine_map<(q, k, d, n) -> (k, d)>
#value = affine_map<(q, k, d, n) -> (k, n)>
#scale = affine_map<(q, k, d, n) -> ()>
#result = affine_map<(q, k, d, n) -> (q, n)>
func.func @f(%q: tensor<4x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x3xf32>, %scale: f32, %o: tensor<4x3xf32>) -> tensor<4x3xf32> {
// CHECK: attention-extents.mlir:[[@LINE+1]]:8: error: 'iree_linalg_ext.attention' op dim 0 of operand 1 has extent 5, but loop 2 has 8{{$}}
  %0 = iree_linalg_ext.attention {indexing_maps = [affine_map<(q, k, d, n) -> (q, d)>, affine_map<(q, k, d, n) -> (d, k)>, #value, #scale, #result]}
      ins(%q, %k, %v, %scale : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5x3xf32>, f32) outs(%o : tensor<4x3xf32>) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
