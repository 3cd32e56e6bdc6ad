// Elements that a body reads by the index of a loop are an input; a condition from outside that puts 0 in place of the
// index makes it a view whose step is 0 or 1. What is read elsewhere stays a read.
// RUN: tcc-attn opt %s --passes=simplify,shapes,absorb-reads,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\)(%%x.*/\1/p" %s); do for d in 3 1; do tcc-attn run %s --func=$f --random --check --dims=$d,3 || exit 1; done; done'
// RUN: tcc-attn run %s --func=scaled --random --check --dims=1,3,3
// RUN: tcc-attn run %s --func=divided --random --check
// RUN: tcc-attn run %s --func=not_divided --random --check
// RUN: tcc-attn run %s --func=open_divided --random --check --dims=3,9
// RUN: not tcc-attn run %s --func=broadcast --random --dims=2,3 2>&1 | FileCheck %s --check-prefix=UNFIT
// UNFIT: the shapes of the arguments of 'broadcast' do not fit together

#id = affine_map<(i, j) -> (i, j)>

// CHECK-DAG: #[[QUOTIENT:.*]] = affine_map<(d0, d1) -> (d0 floordiv 4, d1)>
// CHECK-DAG: #[[REMAINDER:.*]] = affine_map<(d0, d1) -> (d0 mod 4, d1)>
// CHECK-DAG: #[[DIGIT:.*]] = affine_map<(d0, d1) -> ((d0 mod 4) floordiv 2, d1)>

// CHECK-LABEL: func.func @plain(
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?x8xf32>)
func.func @plain(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    // Where the extent is 1, so is the loop's.
    %one = arith.cmpi eq, %rows, %c1 : index
    %k = arith.select %one, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %c1
// CHECK: %[[STEP:.*]] = arith.select %[[ONE]], %c0, %c1
// CHECK: %[[VIEW:.*]] = tensor.extract_slice %arg0[0, 0] [%{{.*}}, 8] [%[[STEP]], 1]
// CHECK: linalg.generic {{.*}} ins(%[[VIEW]] : tensor<?x8xf32>)
func.func @broadcast(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %n, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %extent = tensor.dim %x, %c0 : tensor<?x8xf32>
    %one = arith.cmpi eq, %extent, %c1 : index
    %k = arith.select %one, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// The choice the other way round, on another extent's account: a view all the same, with steps of its own.
// CHECK-LABEL: func.func @other_way(
// CHECK: %[[TWO:.*]] = arith.cmpi ne, %{{.*}}, %c1
// CHECK: %[[STEP:.*]] = arith.select %[[TWO]], %c1, %c0
// CHECK: tensor.extract_slice %arg0[0, 0] [%{{.*}}, 8] [%[[STEP]], 1]
func.func @other_way(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = tensor.dim %x, %c0 : tensor<?x8xf32>
  %rows = tensor.dim %n, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %several = arith.cmpi ne, %own, %c1 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.select %several, %i, %c0 : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// The scale and the transpose are made behind the view.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[VIEW:.*]] = tensor.extract_slice %arg0
// CHECK: linalg.generic {{.*}} ins(%[[VIEW]] :
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @scaled(%q: tensor<?x8x?xf32>, %n: tensor<?xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %own = tensor.dim %q, %c0 : tensor<?x8x?xf32>
  %m = tensor.dim %q, %c2 : tensor<?x8x?xf32>
  %b = tensor.dim %n, %c0 : tensor<?xf32>
  %te = tensor.empty(%own, %m) : tensor<?x?x8xf32>
  %t = linalg.transpose ins(%q : tensor<?x8x?xf32>) outs(%te : tensor<?x?x8xf32>) permutation = [0, 2, 1]
  %s = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<?x?x8xf32>) outs(%te : tensor<?x?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %half : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  %e = tensor.empty(%b, %m) : tensor<?x?x8xf32>
  %one = arith.cmpi eq, %own, %c1 : index
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x?x8xf32>) {
  ^bb0(%o: f32):
    %p = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %k = arith.select %one, %c0, %p : index
    %a = tensor.extract %s[%k, %i, %j] : tensor<?x?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// The last row in place of the first: no view begins there.
// CHECK-LABEL: func.func @another_row(
// CHECK: tensor.extract %arg0
func.func @another_row(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = tensor.dim %x, %c0 : tensor<?x8xf32>
  %rows = tensor.dim %n, %c0 : tensor<?x8xf32>
  %last = arith.subi %own, %c1 : index
  %one = arith.cmpi eq, %own, %c1 : index
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.select %one, %last, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Which row it is depends on the element.
// CHECK-LABEL: func.func @by_element(
// CHECK: tensor.extract %arg0
func.func @by_element(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi eq, %j, %c1 : index
    %k = arith.select %first, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Quotients and remainders of a loop's index, however they are spelled, are an input with such a map where the number
// divides the loop's extent, so that absorb-moves splits the loop.
// CHECK-LABEL: func.func @divided(
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {indexing_maps = [#[[QUOTIENT]], #[[QUOTIENT]], #[[DIGIT]], #[[REMAINDER]], #{{.*}}], {{.*}} ins(%arg0, %arg0, %arg0, %arg1 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<4x5xf32>)
// CHECK-NOT: tensor.extract
func.func @divided(%y: tensor<2x5xf32>, %n: tensor<4x5xf32>) -> tensor<8x5xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n4 = arith.constant 4 : i64
  %e = tensor.empty() : tensor<8x5xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %c4 : index
    %a = tensor.extract %y[%u, %j] : tensor<2x5xf32>
    %l = arith.index_cast %i : index to i64
    %q = arith.floordivsi %l, %n4 : i64
    %s = arith.index_cast %q : i64 to index
    %b = tensor.extract %y[%s, %j] : tensor<2x5xf32>
    %p = affine.apply affine_map<(d0) -> ((d0 mod 4) floordiv 2)>(%i)
    %c = tensor.extract %y[%p, %j] : tensor<2x5xf32>
    %v = arith.remui %i, %c4 : index
    %d = tensor.extract %n[%v, %j] : tensor<4x5xf32>
    %1 = arith.addf %a, %b : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.addf %2, %d : f32
    linalg.yield %3 : f32
  } -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

// No loop can be split so: of nine rows, and of an open number.
// CHECK-LABEL: func.func @not_divided(
// CHECK: tensor.extract %arg0
func.func @not_divided(%y: tensor<3x5xf32>, %n: tensor<1x5xf32>) -> tensor<9x5xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<9x5xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<9x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %c4 : index
    %a = tensor.extract %y[%u, %j] : tensor<3x5xf32>
    linalg.yield %a : f32
  } -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}

// CHECK-LABEL: func.func @open_divided(
// CHECK: tensor.extract %arg0
func.func @open_divided(%y: tensor<?x5xf32>, %n: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %c4 = arith.constant 4 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%n : tensor<?x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %c4 : index
    %a = tensor.extract %y[%u, %j] : tensor<?x5xf32>
    linalg.yield %a : f32
  } -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// The view moves to before what splits other dims.
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[VIEW:.*]] = tensor.extract_slice %arg0[0, 0] [%{{.*}}, 8] [%{{.*}}, 1]
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[VIEW]]
// CHECK: linalg.generic {{.*}} ins(%[[PARTS]] : tensor<?x2x4xf32>)
func.func @reshaped(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %extent = tensor.dim %x, %c0 : tensor<?x8xf32>
  %rows = tensor.dim %n, %c0 : tensor<?x8xf32>
  %parts = tensor.expand_shape %x [[0], [1, 2]] output_shape [%extent, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
  %e = tensor.empty(%rows) : tensor<?x2x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x2x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = linalg.index 2 : index
    %one = arith.cmpi eq, %extent, %c1 : index
    %k = arith.select %one, %c0, %i : index
    %a = tensor.extract %parts[%k, %j, %l] : tensor<?x2x4xf32>
    linalg.yield %a : f32
  } -> tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}
