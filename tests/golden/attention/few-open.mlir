// Few queries in bf16, with open extents: tiles of four and one of what is left over, terms in pairs and one left over.
// RUN: sh -c 'for q in 1 2 3 4 5 7 8 11 12 13; do for k in 1 5 130 257; do tcc-attn run %s --random --check --dims=2,$q,2,$k,2,$k || exit 1; done; done'
// RUN: tcc-attn compile %s --target=host:znver5 --emit=asm -o - | FileCheck %s
// CHECK: vpermt2w
// CHECK: vdpbf16ps

func.func @attention(%query: tensor<?x?x64xbf16>, %key: tensor<?x?x64xbf16>, %value: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = tensor.dim %query, %c0 : tensor<?x?x64xbf16>
  %queries = tensor.dim %query, %c1 : tensor<?x?x64xbf16>
  %length = tensor.dim %key, %c1 : tensor<?x?x64xbf16>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %key_empty = tensor.empty(%heads, %length) : tensor<?x64x?xbf16>
  %key_transposed = linalg.transpose ins(%key : tensor<?x?x64xbf16>) outs(%key_empty : tensor<?x64x?xbf16>) permutation = [0, 2, 1]
  %scores_empty = tensor.empty(%heads, %queries, %length) : tensor<?x?x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<?x?x64xbf16>, tensor<?x64x?xbf16>) outs(%scores_zero : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<?x?x?xf32>) outs(%scores_empty : tensor<?x?x?xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<?x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<?x?x?xf32>) outs(%scores_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %result_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %weights_narrow_empty = tensor.empty(%heads, %queries, %length) : tensor<?x?x?xbf16>
  %weights_narrow = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights : tensor<?x?x?xf32>) outs(%weights_narrow_empty : tensor<?x?x?xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<?x?x?xbf16>
  %result = linalg.batch_matmul ins(%weights_narrow, %value : tensor<?x?x?xbf16>, tensor<?x?x64xbf16>)
      outs(%result_zero : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %result_narrow_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xbf16>
  %result_narrow = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%result : tensor<?x?x64xf32>) outs(%result_narrow_empty : tensor<?x?x64xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<?x?x64xbf16>
  return %result_narrow : tensor<?x?x64xbf16>
}
