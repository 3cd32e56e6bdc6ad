// Layers over a batch of sequences: what is between their products has one loop over rows, as these have.
// RUN: tcc-attn opt %s --passes=merge-dims,simplify --verify | FileCheck %s
// RUN: tcc-attn run %s --func=behind --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=before --random --check --verify 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=open --random --check --dims=3,45 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=product --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=before --device=ptx-emu --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: check: result 0: {{.*}}: good
#x = affine_map<(r, c, k) -> (r, k)>
#w = affine_map<(r, c, k) -> (c, k)>
#y = affine_map<(r, c, k) -> (r, c)>
#all = affine_map<(b, s, c) -> (b, s, c)>
#row = affine_map<(b, s, c) -> (b, s)>
#column = affine_map<(b, s, c) -> (c)>
#place = affine_map<(b, s, c) -> (s, c)>

// What goes past the product is merged, and the result is split again.
// CHECK-LABEL: func.func @behind(
// CHECK-SAME: %[[X:.*]]: tensor<96x32xf32>, %[[W:.*]]: tensor<40x32xf32>, %[[BIAS:.*]]: tensor<40xf32>, %[[PAST:.*]]: tensor<2x48x40xf32>)
// CHECK: %[[Y:.*]] = linalg.contract {{.*}} ins(%[[X]], %[[W]] :
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[PAST]] {{\[\[}}0, 1], [2]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[Y]], %[[BIAS]], %[[ROWS]] :
// CHECK: tensor.expand_shape {{.*}} into tensor<2x48x40xf32>
func.func @behind(%x: tensor<96x32xf32>, %w: tensor<40x32xf32>, %bias: tensor<40xf32>, %past: tensor<2x48x40xf32>) -> tensor<2x48x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96x40xf32>) -> tensor<96x40xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<96x32xf32>, tensor<40x32xf32>) outs(%z : tensor<96x40xf32>) -> tensor<96x40xf32>
  %p = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 48, 40] : tensor<96x40xf32> into tensor<2x48x40xf32>
  %o = tensor.empty() : tensor<2x48x40xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %bias, %past : tensor<2x48x40xf32>, tensor<40xf32>, tensor<2x48x40xf32>) outs(%o : tensor<2x48x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x48x40xf32>
  return %r : tensor<2x48x40xf32>
}

// Statistics of rows, too, from what the product reads upwards.
// CHECK-LABEL: func.func @before(
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %arg0
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] : tensor<96x32xf32>)
// CHECK: %[[NORMED:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[ROWS]], %[[SUMS]] :
// CHECK: linalg.contract {{.*}} ins(%[[NORMED]], %arg1 :
func.func @before(%x: tensor<2x48x32xf32>, %w: tensor<40x32xf32>) -> tensor<96x40xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<2x48xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x48xf32>) -> tensor<2x48xf32>
  %q = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x48x32xf32>) outs(%z1 : tensor<2x48xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<2x48xf32>
  %e2 = tensor.empty() : tensor<2x48x32xf32>
  %n = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %q : tensor<2x48x32xf32>, tensor<2x48xf32>) outs(%e2 : tensor<2x48x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %b, %least : f32
    %t = math.rsqrt %s : f32
    %u = arith.mulf %a, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x48x32xf32>
  %c = tensor.collapse_shape %n [[0, 1], [2]] : tensor<2x48x32xf32> into tensor<96x32xf32>
  %e = tensor.empty() : tensor<96x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96x40xf32>) -> tensor<96x40xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y] ins(%c, %w : tensor<96x32xf32>, tensor<40x32xf32>) outs(%z : tensor<96x40xf32>) -> tensor<96x40xf32>
  return %y : tensor<96x40xf32>
}

// Open extents.
// CHECK-LABEL: func.func @open(
// CHECK: tensor.collapse_shape %arg0
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins({{.*}} : tensor<?x32xf32>)
// CHECK: tensor<?x32xf32>, tensor<40x32xf32>
func.func @open(%x: tensor<?x?x32xf32>, %w: tensor<40x32xf32>) -> tensor<?x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x32xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x32xf32>
  %e2 = tensor.empty(%b, %s) : tensor<?x?x32xf32>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x?x32xf32>) outs(%e2 : tensor<?x?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?x32xf32>
  %c = tensor.collapse_shape %n [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %rows = arith.muli %b, %s : index
  %e = tensor.empty(%rows) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y] ins(%c, %w : tensor<?x32xf32>, tensor<40x32xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

// A product with two loops over rows of one factor.
// CHECK-LABEL: func.func @product(
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %arg0
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[ROWS]], %arg1 :
func.func @product(%x: tensor<2x48x32xf32>, %w: tensor<40x32xf32>, %v: tensor<24x40xf32>) -> tensor<96x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<2x48x40xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x48x40xf32>) -> tensor<2x48x40xf32>
  %h = linalg.contract indexing_maps = [affine_map<(b, s, c, k) -> (b, s, k)>, affine_map<(b, s, c, k) -> (c, k)>, affine_map<(b, s, c, k) -> (b, s, c)>]
      ins(%x, %w : tensor<2x48x32xf32>, tensor<40x32xf32>) outs(%z2 : tensor<2x48x40xf32>) -> tensor<2x48x40xf32>
  %c = tensor.collapse_shape %h [[0, 1], [2]] : tensor<2x48x40xf32> into tensor<96x40xf32>
  %e = tensor.empty() : tensor<96x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96x24xf32>) -> tensor<96x24xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y] ins(%c, %v : tensor<96x40xf32>, tensor<24x40xf32>) outs(%z : tensor<96x24xf32>) -> tensor<96x24xf32>
  return %y : tensor<96x24xf32>
}

// Not where an operand has one of the dims alone, nor where the body asks for an index.
// CHECK-LABEL: func.func @positions(
// CHECK-NOT: collapse_shape
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
func.func @positions(%x: tensor<96x32xf32>, %w: tensor<40x32xf32>, %table: tensor<48x40xf32>) -> (tensor<2x48x40xf32>, tensor<2x48x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96x40xf32>) -> tensor<96x40xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<96x32xf32>, tensor<40x32xf32>) outs(%z : tensor<96x40xf32>) -> tensor<96x40xf32>
  %p = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 48, 40] : tensor<96x40xf32> into tensor<2x48x40xf32>
  %o = tensor.empty() : tensor<2x48x40xf32>
  %r = linalg.generic {indexing_maps = [#all, #place, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %table : tensor<2x48x40xf32>, tensor<48x40xf32>) outs(%o : tensor<2x48x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x48x40xf32>
  %i = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x48x40xf32>) outs(%o : tensor<2x48x40xf32>) {
  ^bb0(%a: f32, %out: f32):
    %at = linalg.index 1 : index
    %n = arith.index_cast %at : index to i64
    %f = arith.sitofp %n : i64 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x48x40xf32>
  return %r, %i : tensor<2x48x40xf32>, tensor<2x48x40xf32>
}
