// A loop that maps divide is split into quotient and remainder, where the number divides its extent; what is merged
// stays merged for others.
// RUN: tcc-attn opt %s --passes=simplify,shapes,absorb-moves,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --dims=3 --check || exit 1; done'
// RUN: not tcc-attn run %s --func=open_heads --random --dims=2,4,10,4 2>&1 | FileCheck %s --check-prefix=UNFIT
// UNFIT: the shapes of the arguments of 'open_heads' do not fit together

#hqd = affine_map<(h, q, k, d) -> (h, q, d)>
#hkd = affine_map<(h, q, k, d) -> (h floordiv 4, k, d)>
#hqk = affine_map<(h, q, k, d) -> (h, q, k)>
#id2 = affine_map<(i, j) -> (i, j)>

// Eight heads of queries, two of keys: a product, whose batch loop is the head of keys.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[QK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @shared_keys(
// CHECK: %[[HEADS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<2x4x5x3xf32>
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[QK]]], {{.*}} ins(%[[HEADS]], %arg1 :
// CHECK: tensor.collapse_shape %[[S]]
func.func @shared_keys(%q: tensor<8x5x3xf32>, %k: tensor<2x7x3xf32>, %s: tensor<8x5x7xf32>) -> tensor<8x5x7xf32> {
  %r = linalg.generic {indexing_maps = [#hqd, #hkd, #hqk],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x5x3xf32>, tensor<2x7x3xf32>) outs(%s : tensor<8x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x5x7xf32>
  return %r : tensor<8x5x7xf32>
}

// All heads share one of keys; its place is still a loop, of one iteration.
// CHECK-LABEL: func.func @one_head_of_keys(
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[K]], #[[QK]]], {{.*}} ins(%arg0, %arg1 :
func.func @one_head_of_keys(%q: tensor<4x5x3xf32>, %k: tensor<1x7x3xf32>, %s: tensor<4x5x7xf32>) -> tensor<4x5x7xf32> {
  %r = linalg.generic {indexing_maps = [#hqd, #hkd, #hqk],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x5x3xf32>, tensor<1x7x3xf32>) outs(%s : tensor<4x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x5x7xf32>
  return %r : tensor<4x5x7xf32>
}

// Batches and heads are one loop: three parts, and keys are read where they are.
// CHECK-LABEL: func.func @merged_batches(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x2x4x5x3xf32>, tensor<?x2x7x3xf32>)
func.func @merged_batches(%q: tensor<?x8x5x3xf32>, %k: tensor<?x2x7x3xf32>, %s: tensor<?x8x5x7xf32>)
    -> tensor<?x8x5x7xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %q, %c0 : tensor<?x8x5x3xf32>
  %kb = tensor.extract_slice %k[0, 0, 0, 0] [%b, 2, 7, 3] [1, 1, 1, 1] : tensor<?x2x7x3xf32> to tensor<?x2x7x3xf32>
  %qm = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x8x5x3xf32> into tensor<?x5x3xf32>
  %km = tensor.collapse_shape %kb [[0, 1], [2], [3]] : tensor<?x2x7x3xf32> into tensor<?x7x3xf32>
  %sm = tensor.collapse_shape %s [[0, 1], [2], [3]] : tensor<?x8x5x7xf32> into tensor<?x5x7xf32>
  %r = linalg.generic {indexing_maps = [#hqd, #hkd, #hqk],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qm, %km : tensor<?x5x3xf32>, tensor<?x7x3xf32>) outs(%sm : tensor<?x5x7xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x5x7xf32>
  %x = tensor.expand_shape %r [[0, 1], [2], [3]] output_shape [%b, 8, 5, 7] : tensor<?x5x7xf32> into tensor<?x8x5x7xf32>
  return %x : tensor<?x8x5x7xf32>
}

// Two numbers, and a remainder of one of them; the index of the loop is made of all parts.
// CHECK-LABEL: func.func @several_numbers(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1, %{{.*}}, %arg3 : tensor<2x3x4x5xf32>, tensor<2x5xf32>, tensor<2x3x5xf32>, tensor<3x5xf32>)
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: linalg.index 2
func.func @several_numbers(%x: tensor<24x5xf32>, %y: tensor<2x5xf32>, %z: tensor<6x5xf32>, %w: tensor<3x5xf32>)
    -> tensor<24x5xf32> {
  %e = tensor.empty() : tensor<24x5xf32>
  %r = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i floordiv 12, j)>,
      affine_map<(i, j) -> (i floordiv 4, j)>, affine_map<(i, j) -> ((i mod 12) floordiv 4, j)>, #id2],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %z, %w : tensor<24x5xf32>, tensor<2x5xf32>, tensor<6x5xf32>, tensor<3x5xf32>)
      outs(%e : tensor<24x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %1 = arith.addf %a, %b : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.addf %2, %d : f32
    %4 = arith.addf %3, %f : f32
    linalg.yield %4 : f32
  } -> tensor<24x5xf32>
  return %r : tensor<24x5xf32>
}

// The result in another order, by quotient and remainder.
// CHECK-LABEL: func.func @quotient_and_remainder(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x3x5xf32>) outs(%arg1 : tensor<3x2x5xf32>)
func.func @quotient_and_remainder(%x: tensor<6x5xf32>, %y: tensor<3x2x5xf32>) -> tensor<3x2x5xf32> {
  %r = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i mod 3, i floordiv 3, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x5xf32>) outs(%y : tensor<3x2x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<3x2x5xf32>
  return %r : tensor<3x2x5xf32>
}

// Nothing is split: the number does not divide the extent, nor one number the other; there are more rows than are read;
// the number of heads is not known; the loop is a reduction.
// CHECK-LABEL: func.func @ragged(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
func.func @ragged(%x: tensor<6x5xf32>, %y: tensor<2x5xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i floordiv 4, j)>, #id2],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x5xf32>, tensor<2x5xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

// CHECK-LABEL: func.func @numbers_that_cross(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
func.func @numbers_that_cross(%x: tensor<6x5xf32>, %y: tensor<4x5xf32>) -> tensor<12x5xf32> {
  %e = tensor.empty() : tensor<12x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>,
      affine_map<(i, j) -> (i floordiv 3, j)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x5xf32>, tensor<4x5xf32>) outs(%e : tensor<12x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<12x5xf32>
  return %r : tensor<12x5xf32>
}

// CHECK-LABEL: func.func @more_rows(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
func.func @more_rows(%x: tensor<8x5xf32>, %y: tensor<3x5xf32>) -> tensor<8x5xf32> {
  %e = tensor.empty() : tensor<8x5xf32>
  %r = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i floordiv 4, j)>, #id2],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x5xf32>, tensor<3x5xf32>) outs(%e : tensor<8x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

// What keys there are is looked at in each call.
// CHECK-LABEL: func.func @open_heads(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?x?xf32>) outs(%arg1 :
func.func @open_heads(%y: tensor<?x?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 4, j)>, #id2],
      iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @sum_with_scales(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
func.func @sum_with_scales(%x: tensor<8x5xf32>, %y: tensor<2x5xf32>, %s: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (i floordiv 4, j)>,
      affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<8x5xf32>, tensor<2x5xf32>) outs(%s : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
