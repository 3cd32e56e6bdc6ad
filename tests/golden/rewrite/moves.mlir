// What only moves data goes into the maps and loops of those that read it; what only looks alike stays.
// RUN: tcc-attn opt %s --passes=simplify,absorb-moves,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'

#id3 = affine_map<(a, b, c) -> (a, b, c)>
#t3 = affine_map<(a, b, c) -> (a, c, b)>
#keep3 = affine_map<(a, b, c) -> (a, b, 0)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

// CHECK-DAG: #[[KEYS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @transposed_factor(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[KEYS]], #{{.*}}], {{.*}} ins(%arg0, %arg1 :
func.func @transposed_factor(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%k : tensor<16x4xf32>) outs(%te : tensor<4x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @two_readers(
// CHECK: %[[OWN:.*]] = linalg.transpose ins(%arg1
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: return %{{.*}}, %[[OWN]]
func.func @two_readers(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>) -> (tensor<8x16xf32>, tensor<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%k : tensor<16x4xf32>) outs(%te : tensor<4x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c, %t : tensor<8x16xf32>, tensor<4x16xf32>
}

// A transposed factor.
// CHECK-LABEL: func.func @transposed_factor_of_a_batch(
// CHECK-NOT: = linalg.transpose
func.func @transposed_factor_of_a_batch(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%k : tensor<3x7x4xf32>) outs(%e : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %p : tensor<3x5x7xf32>
}

// A transpose that also rounds.
// CHECK-LABEL: func.func @transpose_that_rounds(
// CHECK: = linalg.generic
// CHECK-NOT: = linalg.generic
func.func @transpose_that_rounds(%q: tensor<3x5x4xf16>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x7xf16>
  %t = linalg.generic {indexing_maps = [#t3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%e : tensor<3x4x7xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<3x4x7xf16>
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf16>, tensor<3x4x7xf16>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %p : tensor<3x5x7xf32>
}

// Keys repeated for groups of heads.
// CHECK-LABEL: func.func @keys_of_groups_of_heads(
// CHECK: = tensor.collapse_shape
// CHECK-NOT: = tensor.collapse_shape
func.func @keys_of_groups_of_heads(%q: tensor<6x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<6x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x7x4xf32>
  %r = linalg.broadcast ins(%k : tensor<3x7x4xf32>) outs(%e : tensor<3x2x7x4xf32>) dimensions = [1]
  %c = tensor.collapse_shape %r [[0, 1], [2], [3]] : tensor<3x2x7x4xf32> into tensor<6x7x4xf32>
  %se = tensor.empty() : tensor<6x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %p = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %c : tensor<6x5x4xf32>, tensor<6x7x4xf32>) outs(%s : tensor<6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<6x5x7xf32>
  return %p : tensor<6x5x7xf32>
}

// Heads merged and split again.
// CHECK-LABEL: func.func @heads_merged_and_split(
// CHECK-NOT: = tensor.collapse_shape
func.func @heads_merged_and_split(%x: tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into tensor<6x5x4xf32>
  %e = tensor.empty() : tensor<6x5x4xf32>
  %y = linalg.exp ins(%c : tensor<6x5x4xf32>) outs(%e : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  %z = tensor.expand_shape %y [[0, 1], [2], [3]] output_shape [2, 3, 5, 4] : tensor<6x5x4xf32> into tensor<2x3x5x4xf32>
  return %z : tensor<2x3x5x4xf32>
}

// Heads split otherwise than they were merged.
// CHECK-LABEL: func.func @heads_split_otherwise(
// CHECK: = tensor.collapse_shape
// CHECK-NOT: = tensor.collapse_shape
func.func @heads_split_otherwise(%x: tensor<2x3x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into tensor<6x5x4xf32>
  %e = tensor.empty() : tensor<6x5x4xf32>
  %y = linalg.exp ins(%c : tensor<6x5x4xf32>) outs(%e : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  %z = tensor.expand_shape %y [[0, 1], [2], [3]] output_shape [3, 2, 5, 4] : tensor<6x5x4xf32> into tensor<3x2x5x4xf32>
  return %z : tensor<3x2x5x4xf32>
}

// Positions in merged dims.
// CHECK-LABEL: func.func @positions_in_merged_dims(
// CHECK-NOT: = tensor.collapse_shape
func.func @positions_in_merged_dims(%x: tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into tensor<6x5x4xf32>
  %e = tensor.empty() : tensor<6x5x4xf32>
  %y = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : tensor<6x5x4xf32>) outs(%e : tensor<6x5x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %g = arith.sitofp %j : i32 to f32
    %h = arith.addf %a, %g : f32
    linalg.yield %h : f32
  } -> tensor<6x5x4xf32>
  %z = tensor.expand_shape %y [[0, 1], [2], [3]] output_shape [2, 3, 5, 4] : tensor<6x5x4xf32> into tensor<2x3x5x4xf32>
  return %z : tensor<2x3x5x4xf32>
}

// Rows merged for a plain product stay merged.
// CHECK-LABEL: func.func @rows_merged_for_a_product(
// CHECK: = tensor.collapse_shape
// CHECK-NOT: = tensor.collapse_shape
func.func @rows_merged_for_a_product(%x: tensor<3x5x4xf32>, %w: tensor<4x7xf32>) -> tensor<15x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x5x4xf32> into tensor<15x4xf32>
  %se = tensor.empty() : tensor<15x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<15x7xf32>) -> tensor<15x7xf32>
  %p = linalg.matmul ins(%c, %w : tensor<15x4xf32>, tensor<4x7xf32>) outs(%s : tensor<15x7xf32>) -> tensor<15x7xf32>
  return %p : tensor<15x7xf32>
}

// Kept dims.
// CHECK-LABEL: func.func @kept_dims(
// CHECK-NOT: = tensor.expand_shape
func.func @kept_dims(%x: tensor<3x5x7xf32>, %r: tensor<3x5xf32>) -> tensor<3x5x7xf32> {
  %k = tensor.expand_shape %r [[0], [1, 2]] output_shape [3, 5, 1] : tensor<3x5xf32> into tensor<3x5x1xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %y = linalg.generic {indexing_maps = [#id3, #keep3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %k : tensor<3x5x7xf32>, tensor<3x5x1xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %y : tensor<3x5x7xf32>
}

// A sum that keeps its dim.
// CHECK-LABEL: func.func @sum_that_keeps_its_dim(
// CHECK-NOT: = tensor.expand_shape
func.func @sum_that_keeps_its_dim(%x: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ze = tensor.empty() : tensor<3x5x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5x1xf32>) -> tensor<3x5x1xf32>
  %r = linalg.generic {indexing_maps = [#id3, #keep3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.addf %a, %o : f32
    linalg.yield %d : f32
  } -> tensor<3x5x1xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %y = linalg.generic {indexing_maps = [#id3, #keep3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<3x5x7xf32>, tensor<3x5x1xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %y : tensor<3x5x7xf32>
}

// A sum onto a kept dim that is given.
// CHECK-LABEL: func.func @sum_onto_what_is_given(
// CHECK: = tensor.expand_shape
// CHECK-NOT: = tensor.expand_shape
func.func @sum_onto_what_is_given(%x: tensor<3x5x7xf32>, %z: tensor<3x5x1xf32>) -> tensor<3x5x1xf32> {
  %r = linalg.generic {indexing_maps = [#id3, #keep3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.addf %a, %o : f32
    linalg.yield %d : f32
  } -> tensor<3x5x1xf32>
  return %r : tensor<3x5x1xf32>
}

// A transposed result.
// CHECK-LABEL: func.func @transposed_result(
// CHECK-NOT: = linalg.transpose
func.func @transposed_result(%q: tensor<3x5x4xf32>, %k: tensor<3x4x7xf32>) -> tensor<5x3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %k : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %e = tensor.empty() : tensor<5x3x7xf32>
  %t = linalg.transpose ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]
  return %t : tensor<5x3x7xf32>
}

// A transposed result that is also read as it is.
// CHECK-LABEL: func.func @transposed_result_and_itself(
// CHECK: = linalg.transpose
// CHECK-NOT: = linalg.transpose
func.func @transposed_result_and_itself(%q: tensor<3x5x4xf32>, %k: tensor<3x4x7xf32>) -> (tensor<5x3x7xf32>, tensor<3x5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %k : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %e = tensor.empty() : tensor<5x3x7xf32>
  %t = linalg.transpose ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]
  return %t, %p : tensor<5x3x7xf32>, tensor<3x5x7xf32>
}

// A transposed result with a start of its own.
// CHECK-LABEL: func.func @transposed_result_from_a_start(
// CHECK: = linalg.transpose
// CHECK-NOT: = linalg.transpose
func.func @transposed_result_from_a_start(%q: tensor<3x5x4xf32>, %k: tensor<3x4x7xf32>, %s: tensor<3x5x7xf32>) -> tensor<5x3x7xf32> {
  %p = linalg.batch_matmul ins(%q, %k : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %e = tensor.empty() : tensor<5x3x7xf32>
  %t = linalg.transpose ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]
  return %t : tensor<5x3x7xf32>
}

// A sum over repeated elements.
// CHECK-LABEL: func.func @sum_over_repeated_elements(
// CHECK: = linalg.broadcast
// CHECK-NOT: = linalg.broadcast
func.func @sum_over_repeated_elements(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.broadcast ins(%x : tensor<3xf32>) outs(%e : tensor<3x5xf32>) dimensions = [1]
  %ze = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3xf32>) -> tensor<3xf32>
  %y = linalg.reduce { arith.addf } ins(%r : tensor<3x5xf32>) outs(%z : tensor<3xf32>) dimensions = [1]
  return %y : tensor<3xf32>
}

// A dim of extent 1 that is there for the transpose only, as einsum spells things: heads go to the front.
// CHECK-LABEL: func.func @unit_dim_behind(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%arg0, %expanded :
// CHECK-NOT: linalg.generic
func.func @unit_dim_behind(%q: tensor<2x5x3x4xf32>, %k: tensor<6x7x4xf32>) -> tensor<6x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.expand_shape %q [[0], [1], [2], [3, 4]] output_shape [2, 5, 3, 4, 1] : tensor<2x5x3x4xf32> into tensor<2x5x3x4x1xf32>
  %te = tensor.empty() : tensor<2x3x5x4x1xf32>
  %t = linalg.transpose ins(%x : tensor<2x5x3x4x1xf32>) outs(%te : tensor<2x3x5x4x1xf32>) permutation = [0, 2, 1, 3, 4]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3, 4]] : tensor<2x3x5x4x1xf32> into tensor<6x5x4xf32>
  %e = tensor.empty() : tensor<6x5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %r = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%c, %k : tensor<6x5x4xf32>, tensor<6x7x4xf32>) outs(%f : tensor<6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x5x7xf32>
  return %r : tensor<6x5x7xf32>
}

// The dim behind is not of extent 1: what is merged are halves of rows.
// CHECK-LABEL: func.func @two_behind(
// CHECK: linalg.transpose
// CHECK: linalg.generic
func.func @two_behind(%q: tensor<2x5x3x4xf32>, %k: tensor<6x7x4xf32>) -> tensor<6x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.expand_shape %q [[0], [1], [2], [3, 4]] output_shape [2, 5, 3, 2, 2] : tensor<2x5x3x4xf32> into tensor<2x5x3x2x2xf32>
  %te = tensor.empty() : tensor<2x3x5x2x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x5x3x2x2xf32>) outs(%te : tensor<2x3x5x2x2xf32>) permutation = [0, 2, 1, 4, 3]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3, 4]] : tensor<2x3x5x2x2xf32> into tensor<6x5x4xf32>
  %e = tensor.empty() : tensor<6x5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %r = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%c, %k : tensor<6x5x4xf32>, tensor<6x7x4xf32>) outs(%f : tensor<6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x5x7xf32>
  return %r : tensor<6x5x7xf32>
}

// Softmax along a dim that no reshape merged is taken of the tensor before; of one that is merged it stays.
// CHECK-LABEL: func.func @softmax_of_heads(
// CHECK: linalg.softmax dimension(3) {{.*}} tensor<2x3x5x7xf32>
// CHECK-NEXT: collapse_shape
func.func @softmax_of_heads(%x: tensor<2x3x5x7xf32>) -> tensor<6x5x7xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x7xf32> into tensor<6x5x7xf32>
  %e = tensor.empty() : tensor<6x5x7xf32>
  %r = linalg.softmax dimension(2) ins(%c : tensor<6x5x7xf32>) outs(%e : tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  return %r : tensor<6x5x7xf32>
}

// CHECK-LABEL: func.func @softmax_of_merged(
// CHECK: linalg.softmax dimension(1) {{.*}} tensor<6x35xf32>
func.func @softmax_of_merged(%x: tensor<2x3x5x7xf32>) -> tensor<6x35xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x3x5x7xf32> into tensor<6x35xf32>
  %e = tensor.empty() : tensor<6x35xf32>
  %r = linalg.softmax dimension(1) ins(%c : tensor<6x35xf32>) outs(%e : tensor<6x35xf32>) -> tensor<6x35xf32>
  return %r : tensor<6x35xf32>
}

// A view of what was only widened is taken before it is; rounding is not undone.
// CHECK-LABEL: func.func @widened_view(
// CHECK: %[[VIEW:.*]] = tensor.expand_shape %arg0 {{.*}} : tensor<9x12xbf16> into tensor<9x3x4xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[VIEW]] :
// CHECK: arith.extf
func.func @widened_view(%x: tensor<9x12xbf16>) -> tensor<9x3x4xf32> {
  %e = tensor.empty() : tensor<9x12xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x12xbf16>) outs(%e : tensor<9x12xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %n = arith.extf %a : bf16 to f32
    linalg.yield %n : f32
  } -> tensor<9x12xf32>
  %v = tensor.expand_shape %w [[0], [1, 2]] output_shape [9, 3, 4] : tensor<9x12xf32> into tensor<9x3x4xf32>
  return %v : tensor<9x3x4xf32>
}

// CHECK-LABEL: func.func @rounded_view(
// CHECK: arith.truncf
// CHECK: tensor.expand_shape %{{.*}} : tensor<9x12xf32> into tensor<9x3x4xf32>
func.func @rounded_view(%x: tensor<9x12xf32>) -> tensor<9x3x4xf32> {
  %e = tensor.empty() : tensor<9x12xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x12xf32>) outs(%e : tensor<9x12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.truncf %a : f32 to bf16
    %n = arith.extf %r : bf16 to f32
    linalg.yield %n : f32
  } -> tensor<9x12xf32>
  %v = tensor.expand_shape %w [[0], [1, 2]] output_shape [9, 3, 4] : tensor<9x12xf32> into tensor<9x3x4xf32>
  return %v : tensor<9x3x4xf32>
}
