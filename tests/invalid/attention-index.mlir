// RUN: %reject opt %s | FileCheck %s
#query = affine_map<(q, k, d, n) -> (q, d)>
#key = affine_map<(q, k, d, n) -> (k, d)>
#value = affine_map<(q, k, d, n) -> (k, n)>
#scale = affine_map<(q, k, d, n) -> ()>
#result = affine_map<(q, k, d, n) -> (q, n)>
func.func @f(%q: tensor<4x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x3xf32>, %scale: f32, %o: tensor<4x3xf32>) -> tensor<4x3xf32> {
// CHECK: attention-index.mlir:[[@LINE+4]]:10: error: 'iree_linalg_ext.index' op asks for loop 2, which scores do not have{{$}}
  %0 = iree_linalg_ext.attention {indexing_maps = [#query, #key, #value, #scale, #result]}
      ins(%q, %k, %v, %scale : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5x3xf32>, f32) outs(%o : tensor<4x3xf32>) {
  ^bb0(%s: f32):
    %i = iree_linalg_ext.index 2 : index
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
