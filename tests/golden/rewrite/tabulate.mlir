// What a body computes of the difference or sum of two indices is computed once for each, in a table that is made before,
// where that costs more than a read. Masks stay, and so does what is cheap, or depends on the indices otherwise. The
// numbers are the same, bit for bit.
// RUN: tcc-attn opt %s --passes=simplify,merge-elementwise,simplify,tabulate,simplify --verify -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: sh -c 'for f in by_distance by_sum looked_up masked batched; do tcc-attn run %s --func=$f --random --device=interp --out=%t.as_written.npy && tcc-attn run %t.mlir --func=$f --random --device=interp --out=%t.from_table.npy && cmp %t.as_written.npy %t.from_table.npy && tcc-attn run %s --func=$f --random=2 --check || exit 1; done'
// RUN: sh -c 'for f in of_floats narrow; do tcc-attn run %s --func=$f --device=interp --out=%t.a.npy,%t.b.npy && tcc-attn run %t.mlir --func=$f --device=interp --out=%t.c.npy,%t.d.npy && cmp %t.a.npy %t.c.npy && cmp %t.b.npy %t.d.npy || exit 1; done'
// RUN: tcc-attn run %s --func=two_of_them --random --check
// RUN: sh -c 'for n in "1 1" "9 1" "2 70"; do set -- $n; tcc-attn run %s --func=open --random --dims=$1,$2 --check || exit 1; done'
// RUN: tcc-attn opt %s --passes=simplify,merge-elementwise,simplify,tabulate,simplify --target=nvptx:sm_90a | FileCheck %s --check-prefix=GPU
// GPU-NOT: tec.once
// RUN: tcc-attn explain %s | FileCheck %s --check-prefix=KERNELS
// KERNELS: @attention (
// KERNELS-NEXT: by itself: linalg.generic
// KERNELS-NEXT: stores tensor<399xf32> for what follows
// KERNELS-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys

#all = affine_map<(h, i, j) -> (h, i, j)>
#head = affine_map<(h, i, j) -> (h)>
#both = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Of the head, an argument, and the distance.
// CHECK-LABEL: func.func @by_distance(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<3xf32>) outs(%{{.*}} : tensor<3x59xf32>) attrs = {tec.once}
// CHECK: %[[D:.*]] = linalg.index 1
// CHECK: %[[I:.*]] = affine.max #[[FIRST:.*]](%[[D]])
// CHECK: %[[J:.*]] = affine.apply #[[SECOND:.*]](%[[I]], %[[D]])
// CHECK: math.log
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x20x40xf32>)
// CHECK-NOT: math.log
// CHECK: tensor.extract %[[TABLE]][%{{.*}}, %{{.*}}] : tensor<3x59xf32>
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
func.func @by_distance(%score: tensor<3x20x40xf32>, %slope: tensor<3xf32>) -> tensor<3x20x40xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x20x40xf32>
  %result = linalg.generic {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%score, %slope : tensor<3x20x40xf32>, tensor<3xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %wi = arith.index_cast %i : index to i64
    %wj = arith.index_cast %j : index to i64
    %d = arith.subi %wi, %wj : i64
    %far = math.absi %d : i64
    %f = arith.sitofp %far : i64 to f32
    %1 = arith.addf %f, %one : f32
    %2 = math.log %1 : f32
    %3 = arith.mulf %2, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x20x40xf32>
  return %result : tensor<3x20x40xf32>
}

// CHECK-LABEL: func.func @by_sum(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<59xf32>) attrs = {tec.once}
// CHECK: %[[I:.*]] = affine.min
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = affine.apply #{{.*}}(%{{.*}}, %{{.*}})
// CHECK-NEXT: tensor.extract %[[TABLE]][%[[SUM]]]
func.func @by_sum(%score: tensor<20x40xf32>) -> tensor<20x40xf32> {
  %scale = arith.constant -0.1 : f32
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<20x40xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.addi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = arith.mulf %f, %scale : f32
    %2 = math.exp %1 : f32
    %3 = arith.mulf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// Positions may be floats before they are subtracted, where these hold them exactly: of f32, not of bf16.
// CHECK-LABEL: func.func @of_floats(
// CHECK: outs(%{{.*}} : tensor<599xf32>) attrs = {tec.once}
// CHECK-NOT: tec.once
// CHECK: return
func.func @of_floats() -> (tensor<300x300xf32>, tensor<300x300xbf16>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<300x300xf32>
  %eh = tensor.empty() : tensor<300x300xbf16>
  %wide = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<300x300xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %wi = arith.index_cast %i : index to i64
    %wj = arith.index_cast %j : index to i64
    %fi = arith.sitofp %wi : i64 to f32
    %fj = arith.sitofp %wj : i64 to f32
    %d = arith.subf %fi, %fj : f32
    %1 = math.cos %d : f32
    linalg.yield %1 : f32
  } -> tensor<300x300xf32>
  %half = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%eh : tensor<300x300xbf16>) {
  ^bb0(%o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %wi = arith.index_cast %i : index to i64
    %wj = arith.index_cast %j : index to i64
    %fi = arith.sitofp %wi : i64 to bf16
    %fj = arith.sitofp %wj : i64 to bf16
    %d = arith.subf %fi, %fj : bf16
    %1 = math.cos %d : bf16
    linalg.yield %1 : bf16
  } -> tensor<300x300xbf16>
  return %wide, %half : tensor<300x300xf32>, tensor<300x300xbf16>
}

// A number for each bucket of distances and head: buckets are computed, in 32 bits, and read at from an argument.
// CHECK-LABEL: func.func @looked_up(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x59xf16>) attrs = {tec.once}
// CHECK: tensor.extract %arg1[
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract %arg1
// CHECK: tensor.extract %[[TABLE]][
func.func @looked_up(%score: tensor<3x20x40xf16>, %bias: tensor<8x3xf16>) -> tensor<3x20x40xf16> {
  %four = arith.constant 4 : i32
  %least = arith.constant -4 : i32
  %most = arith.constant 3 : i32
  %e = tensor.empty() : tensor<3x20x40xf16>
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%score : tensor<3x20x40xf16>) outs(%e : tensor<3x20x40xf16>) {
  ^bb0(%s: f16, %o: f16):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %wi = arith.index_cast %i : index to i32
    %wj = arith.index_cast %j : index to i32
    %d = arith.subi %wj, %wi : i32
    %1 = arith.maxsi %d, %least : i32
    %2 = arith.minsi %1, %most : i32
    %3 = arith.addi %2, %four : i32
    %place = arith.index_cast %3 : i32 to index
    %b = tensor.extract %bias[%place, %h] : tensor<8x3xf16>
    %4 = arith.addf %s, %b : f16
    linalg.yield %4 : f16
  } -> tensor<3x20x40xf16>
  return %result : tensor<3x20x40xf16>
}

// Narrow integers wrap around together: bytes of rows from 0 to 299 differ as the rows do, as bytes. Widened first, they
// do not.
// CHECK-LABEL: func.func @narrow(
// CHECK: outs(%{{.*}} : tensor<599xf32>) attrs = {tec.once}
// CHECK-NOT: tec.once
// CHECK: return
func.func @narrow() -> (tensor<300x300xf32>, tensor<300x300xf32>) {
  %e = tensor.empty() : tensor<300x300xf32>
  %first = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<300x300xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %wi = arith.index_cast %i : index to i8
    %wj = arith.index_cast %j : index to i8
    %d = arith.subi %wi, %wj : i8
    %f = arith.sitofp %d : i8 to f32
    %1 = math.sin %f : f32
    linalg.yield %1 : f32
  } -> tensor<300x300xf32>
  %second = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<300x300xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ni = arith.index_cast %i : index to i8
    %nj = arith.index_cast %j : index to i8
    %wi = arith.extsi %ni : i8 to i32
    %wj = arith.extsi %nj : i8 to i32
    %d = arith.subi %wi, %wj : i32
    %f = arith.sitofp %d : i32 to f32
    %1 = math.sin %f : f32
    linalg.yield %1 : f32
  } -> tensor<300x300xf32>
  return %first, %second : tensor<300x300xf32>, tensor<300x300xf32>
}

// A choice between a number and something else stays, however it is added in, with its condition; what is chosen does not.
// CHECK-LABEL: func.func @masked(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<59xf32>) attrs = {tec.once}
// CHECK-NOT: arith.cmpi
// CHECK: math.exp
// CHECK-NOT: arith.cmpi
// CHECK: tensor.extract %[[TABLE]][
// CHECK: arith.cmpi sge
// CHECK: arith.select
// CHECK: arith.addf
func.func @masked(%score: tensor<20x40xf32>) -> tensor<20x40xf32> {
  %hidden = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<20x40xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %wi = arith.index_cast %i : index to i64
    %wj = arith.index_cast %j : index to i64
    %d = arith.subi %wi, %wj : i64
    %f = arith.sitofp %d : i64 to f32
    %1 = math.exp %f : f32
    %sees = arith.cmpi sge, %d, %zero : i64
    %2 = arith.select %sees, %1, %hidden : f32
    %3 = arith.negf %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.addf %s, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// A mask alone stays, whatever its condition takes.
// CHECK-LABEL: func.func @of_mask(
// CHECK-NOT: tec.once
// CHECK: return
func.func @of_mask(%score: tensor<20x40xf32>) -> tensor<20x40xf32> {
  %hidden = arith.constant 0xFF800000 : f32
  %seven = arith.constant 7 : i64
  %three = arith.constant 3 : i64
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<20x40xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %w = arith.subi %i, %j : index
    %d = arith.index_cast %w : index to i64
    %1 = arith.floordivsi %d, %seven : i64
    %2 = arith.floordivsi %1, %seven : i64
    %3 = arith.remsi %d, %three : i64
    %4 = arith.muli %2, %3 : i64
    %5 = arith.remsi %4, %seven : i64
    %6 = arith.muli %5, %5 : i64
    %7 = arith.addi %6, %1 : i64
    %8 = arith.muli %7, %2 : i64
    %9 = arith.remsi %8, %seven : i64
    %10 = arith.addi %9, %8 : i64
    %11 = arith.floordivsi %10, %three : i64
    %sees = arith.cmpi sge, %11, %d : i64
    %r = arith.select %sees, %s, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// No table: of what costs as much as a read (@cheap), of one query (@one_row), of what depends on a row by itself
// (@otherwise), of twice one index minus the other (@twice), and of a sum and a difference (@both_ways).
// CHECK-LABEL: func.func @cheap(
// CHECK-NOT: tec.once
// CHECK: return
func.func @cheap(%score: tensor<3x20x40xf32>, %slope: tensor<3xf32>) -> tensor<3x20x40xf32> {
  %e = tensor.empty() : tensor<3x20x40xf32>
  %result = linalg.generic {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%score, %slope : tensor<3x20x40xf32>, tensor<3xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %j, %i : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = arith.mulf %f, %a : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x20x40xf32>
  return %result : tensor<3x20x40xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: tec.once
// CHECK: return
func.func @one_row(%score: tensor<1x400xf32>) -> tensor<1x400xf32> {
  %last = arith.constant 399 : index
  %e = tensor.empty() : tensor<1x400xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<1x400xf32>) outs(%e : tensor<1x400xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.addi %i, %last : index
    %d = arith.subi %1, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %2 = math.log1p %f : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x400xf32>
  return %result : tensor<1x400xf32>
}

// CHECK-LABEL: func.func @otherwise(
// CHECK-NOT: tec.once
// CHECK: return
func.func @otherwise(%score: tensor<20x40xf32>, %row: tensor<20xf32>) -> tensor<20x40xf32> {
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #rows, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score, %row : tensor<20x40xf32>, tensor<20xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %r: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = arith.mulf %f, %r : f32
    %2 = math.cos %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-NOT: tec.once
// CHECK: return
func.func @twice(%score: tensor<20x40xf32>) -> tensor<20x40xf32> {
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<20x40xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.muli %i, %two : index
    %d = arith.subi %1, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %2 = math.cos %f : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK-NOT: tec.once
// CHECK: return
func.func @both_ways(%score: tensor<20x40xf32>) -> tensor<20x40xf32> {
  %e = tensor.empty() : tensor<20x40xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<20x40xf32>) outs(%e : tensor<20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.addi %i, %j : index
    %d = arith.subi %i, %j : index
    %m = arith.muli %a, %d : index
    %w = arith.index_cast %m : index to i64
    %f = arith.sitofp %w : i64 to f32
    %2 = math.cos %f : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<20x40xf32>
  return %result : tensor<20x40xf32>
}

// A table already, of neighbours in lanes, is read as it is; with heads last, they are none.
// CHECK-LABEL: func.func @is_table(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x59xf32>) attrs = {tec.once}
// CHECK: tensor.extract %arg2[
// CHECK: tensor.extract %arg1[
func.func @is_table(%score: tensor<3x20x40xf32>, %rows: tensor<3x59xf32>, %columns: tensor<59x3xf32>) -> tensor<3x20x40xf32> {
  %last = arith.constant 39 : index
  %e = tensor.empty() : tensor<3x20x40xf32>
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%score : tensor<3x20x40xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %i, %j : index
    %place = arith.addi %d, %last : index
    %a = tensor.extract %rows[%h, %place] : tensor<3x59xf32>
    %b = tensor.extract %columns[%place, %h] : tensor<59x3xf32>
    %1 = arith.addf %s, %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<3x20x40xf32>
  return %result : tensor<3x20x40xf32>
}

// Ops that need equal tables share one, and one that only reads a table is part of all its readers.
// CHECK-LABEL: func.func @two_of_them(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<3xf32>) outs(%{{.*}} : tensor<3x59xf32>) attrs = {tec.once}
// CHECK-NOT: tec.once
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x20x40xf32>)
// CHECK: tensor.extract %[[TABLE]][
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<3x20x40xf32>)
// CHECK: tensor.extract %[[TABLE]][
// CHECK-NEXT: arith.subf
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<3x20x40xf32>)
// CHECK: tensor.extract %[[TABLE]][
// CHECK-NEXT: arith.mulf
func.func @two_of_them(%x: tensor<3x20x40xf32>, %y: tensor<3x20x40xf32>, %slope: tensor<3xf32>)
    -> (tensor<3x20x40xf32>, tensor<3x20x40xf32>, tensor<3x20x40xf32>) {
  %e = tensor.empty() : tensor<3x20x40xf32>
  %bias = linalg.generic {indexing_maps = [#head, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%slope : tensor<3xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = arith.mulf %f, %a : f32
    %2 = math.sin %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x20x40xf32>
  %first = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %bias : tensor<3x20x40xf32>, tensor<3x20x40xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %b: f32, %o: f32):
    %1 = arith.addf %s, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x20x40xf32>
  %other = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<3x20x40xf32>, tensor<3x20x40xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %b: f32, %o: f32):
    %1 = arith.subf %s, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x20x40xf32>
  %second = linalg.generic {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %slope : tensor<3x20x40xf32>, tensor<3xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = arith.mulf %f, %a : f32
    %2 = math.sin %1 : f32
    %3 = arith.mulf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x20x40xf32>
  return %first, %other, %second : tensor<3x20x40xf32>, tensor<3x20x40xf32>, tensor<3x20x40xf32>
}

// Loops that the number does not depend on are none of the table's.
// CHECK-LABEL: func.func @batched(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<59xf32>) attrs = {tec.once}
func.func @batched(%score: tensor<3x20x40xf32>) -> tensor<3x20x40xf32> {
  %e = tensor.empty() : tensor<3x20x40xf32>
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%score : tensor<3x20x40xf32>) outs(%e : tensor<3x20x40xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = math.sin %f : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x20x40xf32>
  return %result : tensor<3x20x40xf32>
}

// Extents may be open.
// CHECK-LABEL: func.func @open(
// CHECK: affine.max
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf32>) attrs = {tec.once}
func.func @open(%score: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %score, %c0 : tensor<?x?xf32>
  %m = tensor.dim %score, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = math.sin %f : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}

func.func @attention(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>) -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %biased = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %d = arith.subi %k, %q : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %1 = math.cos %f : f32
    %y = arith.addf %a, %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%biased : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}
