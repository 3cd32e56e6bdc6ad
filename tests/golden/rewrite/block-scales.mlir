// Scores scaled by numbers for blocks of queries and of keys, repeated for the rows of each: what is small is repeated,
// not the loops of the scores split, so that they stay those of the products around them.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --random --check
// RUN: tcc-attn run %s --random --check --device=ptx-emu

// CHECK-LABEL: @f (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing

#all = affine_map<(h, q, k) -> (h, q, k)>
#query = affine_map<(h, q, k) -> (h, q)>
#key = affine_map<(h, q, k) -> (h, k)>
#block = affine_map<(h, b, r) -> (h, b)>
#row = affine_map<(h, b, r) -> (h, b, r)>
func.func @f(%q: tensor<2x192x32xi8>, %k: tensor<2x192x32xi8>, %v: tensor<2x192x32xf32>,
             %qs: tensor<2x3xf32>, %ks: tensor<2x3xf32>) -> tensor<2x192x32xf32> {
  %zero = arith.constant 0 : i32
  %zero_float = arith.constant 0.0 : f32
  %small = arith.constant 1.0e-3 : f32
  %row_empty = tensor.empty() : tensor<2x3x64xf32>
  %qs_rows = linalg.generic {indexing_maps = [#block, #row], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qs : tensor<2x3xf32>) outs(%row_empty : tensor<2x3x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x64xf32>
  %ks_rows = linalg.generic {indexing_maps = [#block, #row], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ks : tensor<2x3xf32>) outs(%row_empty : tensor<2x3x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x64xf32>
  %query_scales = tensor.collapse_shape %qs_rows [[0], [1, 2]] : tensor<2x3x64xf32> into tensor<2x192xf32>
  %key_scales = tensor.collapse_shape %ks_rows [[0], [1, 2]] : tensor<2x3x64xf32> into tensor<2x192xf32>
  %sums_empty = tensor.empty() : tensor<2x192x192xi32>
  %sums_zero = linalg.fill ins(%zero : i32) outs(%sums_empty : tensor<2x192x192xi32>) -> tensor<2x192x192xi32>
  %sums = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>,
      affine_map<(h, q, k, d) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x192x32xi8>, tensor<2x192x32xi8>) outs(%sums_zero : tensor<2x192x192xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %term = arith.muli %x, %y : i32
    %sum = arith.addi %o, %term : i32
    linalg.yield %sum : i32
  } -> tensor<2x192x192xi32>
  %scores_empty = tensor.empty() : tensor<2x192x192xf32>
  %scores = linalg.generic {indexing_maps = [#all, #query, #key, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums, %query_scales, %key_scales : tensor<2x192x192xi32>, tensor<2x192xf32>, tensor<2x192xf32>)
      outs(%scores_empty : tensor<2x192x192xf32>) {
  ^bb0(%sum: i32, %a: f32, %b: f32, %o: f32):
    %number = arith.sitofp %sum : i32 to f32
    %by_query = arith.mulf %number, %a : f32
    %by_key = arith.mulf %by_query, %b : f32
    %score = arith.mulf %by_key, %small : f32
    linalg.yield %score : f32
  } -> tensor<2x192x192xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x192x192xf32>) outs(%scores_empty : tensor<2x192x192xf32>) -> tensor<2x192x192xf32>
  %empty = tensor.empty() : tensor<2x192x32xf32>
  %start = linalg.fill ins(%zero_float : f32) outs(%empty : tensor<2x192x32xf32>) -> tensor<2x192x32xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<2x192x192xf32>, tensor<2x192x32xf32>)
      outs(%start : tensor<2x192x32xf32>) -> tensor<2x192x32xf32>
  return %result : tensor<2x192x32xf32>
}
