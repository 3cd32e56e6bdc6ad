// Attention as one op: two products with the scale, the mask and a softmax between. IREE's newest text, with properties.
// RUN: tcc-attn opt %s --passes=decompose-attention,simplify | FileCheck %s
// RUN: tcc-attn run %s --random --check
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s --check-prefix=TEXT

// TEXT: iree_linalg_ext.attention <{indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}]}> {foo = 1 : i64} ins(
// CHECK-LABEL: func.func @a(
// CHECK-NOT: iree_linalg_ext.attention
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: softmax dimension(2)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "parallel"]
#q = affine_map<(b, m, n, k, s) -> (b, m, k)>
#k = affine_map<(b, m, n, k, s) -> (b, s, k)>
#v = affine_map<(b, m, n, k, s) -> (b, s, n)>
#s = affine_map<(b, m, n, k, s) -> ()>
#o = affine_map<(b, m, n, k, s) -> (b, m, n)>
func.func @a(%q: tensor<2x40x8xf32>, %k: tensor<2x300x8xf32>, %v: tensor<2x300x6xf32>, %scale: f32) -> tensor<2x40x6xf32> {
  %out = tensor.empty() : tensor<2x40x6xf32>
  %r = iree_linalg_ext.attention <indexing_maps = [#q, #k, #v, #s, #o]> {foo = 1 : i64} ins(%q, %k, %v, %scale : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32) outs(%out : tensor<2x40x6xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>
  return %r : tensor<2x40x6xf32>
}
