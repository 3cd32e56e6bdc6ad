// A bias for the row and one for the column of an image that a key stands in, as SAM has them: scores are split into
// rows and columns for that, and merged again before a softmax spelled by hand. All of it works on merged keys, so that
// it is a softmax.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --random --check --verify
// CHECK: recognised: a softmax along dim
// CHECK: kernel 1: attention: 2 products, a softmax
// CHECK-NEXT: 1 kernel, with nothing in memory between
#all = affine_map<(b, q, k) -> (b, q, k)>
#row = affine_map<(b, q, k) -> (b, q)>
#split = affine_map<(b, q, r, c) -> (b, q, r, c)>
#rows = affine_map<(b, q, r, c) -> (b, q, r)>
#columns = affine_map<(b, q, r, c) -> (b, q, c)>
func.func @image(%q: tensor<3x35x8xf32>, %k: tensor<3x8x35xf32>, %v: tensor<3x35x8xf32>, %r: tensor<3x35x5xf32>,
                 %c: tensor<3x35x7xf32>) -> tensor<3x35x8xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x35x35xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x35x35xf32>) -> tensor<3x35x35xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<3x35x8xf32>, tensor<3x8x35xf32>) outs(%f : tensor<3x35x35xf32>) -> tensor<3x35x35xf32>
  %parts = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [3, 35, 5, 7] : tensor<3x35x35xf32> into tensor<3x35x5x7xf32>
  %e5 = tensor.empty() : tensor<3x35x5x7xf32>
  %biased = linalg.generic {indexing_maps = [#split, #rows, #columns, #split], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%parts, %r, %c : tensor<3x35x5x7xf32>, tensor<3x35x5xf32>, tensor<3x35x7xf32>) outs(%e5 : tensor<3x35x5x7xf32>) {
  ^bb0(%score: f32, %by_row: f32, %by_column: f32, %o: f32):
    %0 = arith.addf %score, %by_row : f32
    %1 = arith.addf %0, %by_column : f32
    linalg.yield %1 : f32
  } -> tensor<3x35x5x7xf32>
  %m = tensor.collapse_shape %biased [[0], [1], [2, 3]] : tensor<3x35x5x7xf32> into tensor<3x35x35xf32>
  %er = tensor.empty() : tensor<3x35xf32>
  %fl = linalg.fill ins(%least : f32) outs(%er : tensor<3x35xf32>) -> tensor<3x35xf32>
  %max = linalg.reduce { arith.maximumf } ins(%m : tensor<3x35x35xf32>) outs(%fl : tensor<3x35xf32>) dimensions = [2]
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %max : tensor<3x35x35xf32>, tensor<3x35xf32>) outs(%e : tensor<3x35x35xf32>) {
  ^bb0(%x: f32, %top: f32, %o: f32):
    %0 = arith.subf %x, %top : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x35x35xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<3x35xf32>) -> tensor<3x35xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<3x35x35xf32>) outs(%fs : tensor<3x35xf32>) dimensions = [2]
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<3x35x35xf32>, tensor<3x35xf32>) outs(%e : tensor<3x35x35xf32>) {
  ^bb0(%x: f32, %total: f32, %o: f32):
    %0 = arith.divf %x, %total : f32
    linalg.yield %0 : f32
  } -> tensor<3x35x35xf32>
  %eo = tensor.empty() : tensor<3x35x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x35x8xf32>) -> tensor<3x35x8xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<3x35x35xf32>, tensor<3x35x8xf32>) outs(%fo : tensor<3x35x8xf32>) -> tensor<3x35x8xf32>
  return %result : tensor<3x35x8xf32>
}
