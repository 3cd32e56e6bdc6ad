// torch-mlir's scatters and scans become loops over slices, on GPUs parallel ones, or reductions.
// RUN: tcc-attn opt %s --passes=simplify,decompose-torch,simplify --target=host:x86-64-v3 | FileCheck %s
// RUN: tcc-attn opt %s --passes=simplify,decompose-torch,simplify --target=nvptx:sm_80 | FileCheck %s --check-prefix=GPU

#row = affine_map<(b, h, s, d) -> (s)>
#head = affine_map<(b, h, s, d) -> (h)>
#all = affine_map<(b, h, s, d) -> (b, h, s, d)>

// index_copy, as it is exported: each element is an update, but rows are copied whole, and found by one index each.
// CHECK-LABEL: @rows
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c5 step %c1 iter_args(%[[INTO:.*]] = %arg0)
// CHECK-NEXT: %[[AT:.*]] = tensor.extract %arg1[%[[I]]] : tensor<5xi64>
// CHECK-NEXT: %[[PLACE:.*]] = arith.index_cast %[[AT]]
// CHECK-NEXT: %[[ROWS:.*]] = tensor.extract_slice %arg2[0, 0, %[[I]], 0] [1, 4, 1, 8] [1, 1, 1, 1] : {{.*}} to tensor<4x8xf32>
// CHECK-NEXT: tensor.insert_slice %[[ROWS]] into %[[INTO]][0, 0, %[[PLACE]], 0] [1, 4, 1, 8] [1, 1, 1, 1]
// GPU-LABEL: @rows
// GPU: scf.forall (%[[I:.*]]) in (5) shared_outs(%[[INTO:.*]] = %arg0)
// GPU: tensor.parallel_insert_slice %{{.*}} into %[[INTO]][0, 0, %{{.*}}, 0] [1, 4, 1, 8] [1, 1, 1, 1]
func.func @rows(%cache: tensor<1x4x64x8xf32>, %places: tensor<5xi64>, %rows: tensor<1x4x5x8xf32>) -> tensor<1x4x64x8xf32> {
  %zeros = arith.constant dense<0> : tensor<160x1xi64>
  %positions = tensor.empty() : tensor<4xi64>
  %heads = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%positions : tensor<4xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 0 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<4xi64>
  %empty = tensor.empty() : tensor<1x4x5x8xi64>
  %wide_heads = linalg.generic {indexing_maps = [#head, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%heads : tensor<4xi64>) outs(%empty : tensor<1x4x5x8xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<1x4x5x8xi64>
  %wide_places = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%places : tensor<5xi64>) outs(%empty : tensor<1x4x5x8xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<1x4x5x8xi64>
  %wide_columns = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<1x4x5x8xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 3 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<1x4x5x8xi64>
  %flat_heads = tensor.collapse_shape %wide_heads [[0, 1, 2, 3]] : tensor<1x4x5x8xi64> into tensor<160xi64>
  %flat_places = tensor.collapse_shape %wide_places [[0, 1, 2, 3]] : tensor<1x4x5x8xi64> into tensor<160xi64>
  %flat_columns = tensor.collapse_shape %wide_columns [[0, 1, 2, 3]] : tensor<1x4x5x8xi64> into tensor<160xi64>
  %i1 = tensor.expand_shape %flat_heads [[0, 1]] output_shape [160, 1] : tensor<160xi64> into tensor<160x1xi64>
  %i2 = tensor.expand_shape %flat_places [[0, 1]] output_shape [160, 1] : tensor<160xi64> into tensor<160x1xi64>
  %i3 = tensor.expand_shape %flat_columns [[0, 1]] output_shape [160, 1] : tensor<160xi64> into tensor<160x1xi64>
  %indices = tensor.concat dim(1) %zeros, %i1, %i2, %i3 : (tensor<160x1xi64>, tensor<160x1xi64>, tensor<160x1xi64>, tensor<160x1xi64>) -> tensor<160x4xi64>
  %flat = tensor.collapse_shape %rows [[0, 1, 2, 3]] : tensor<1x4x5x8xf32> into tensor<160xf32>
  %updates = tensor.expand_shape %flat [[0, 1, 2, 3, 4]] output_shape [160, 1, 1, 1, 1] : tensor<160xf32> into tensor<160x1x1x1x1xf32>
  %result = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%updates, %indices : tensor<160x1x1x1x1xf32>, tensor<160x4xi64>) outs(%cache : tensor<1x4x64x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<1x4x64x8xf32>
  return %result : tensor<1x4x64x8xf32>
}

// A position that two updates share is no slice, nor are more of them than there are places.
// CHECK-LABEL: @twice
// CHECK: scf.for
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[I:.*]], %[[I]]] [1, 1] [1, 1]
func.func @twice(%into: tensor<4x4xf32>, %row: tensor<4xf32>) -> tensor<4x4xf32> {
  %empty = tensor.empty() : tensor<4x2xi64>
  %indices = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<4x2xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 0 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<4x2xi64>
  %result = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true) ins(%row, %indices : tensor<4xf32>, tensor<4x2xi64>) outs(%into : tensor<4x4xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<4x4xf32>
  return %result : tensor<4x4xf32>
}

// What the body makes of the update and the old element; one after the other, where two may meet.
// CHECK-LABEL: @add
// CHECK: scf.for %{{.*}} iter_args(%[[INTO:.*]] = %arg0)
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[INTO]]
// CHECK: linalg.generic {{.*}} outs(%[[OLD]] :
// CHECK: arith.addf
// GPU-LABEL: @add
// GPU: scf.for
func.func @add(%into: tensor<64x8xf32>, %places: tensor<?x1xi32>, %rows: tensor<?x8xf32>) -> tensor<64x8xf32> {
  %result = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%rows, %places : tensor<?x8xf32>, tensor<?x1xi32>) outs(%into : tensor<64x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    %sum = arith.addf %update, %old : f32
    tm_tensor.yield %sum : f32
  } -> tensor<64x8xf32>
  return %result : tensor<64x8xf32>
}

// Sums are kept in wider floats, those of neighbours beside each other.
// CHECK-LABEL: @sums
// CHECK: scf.forall (%[[J:.*]]) = (0) to (16) step (16) shared_outs(%{{.*}}, %{{.*}})
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<?x16xf32>, tensor<16xf64>)
// CHECK: %[[NEXT:.*]] = tensor.extract_slice %arg0[%[[I]], %[[J]]] [1, 16] [1, 1] : tensor<?x16xf32> to tensor<16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[NEXT]] : tensor<16xf32>) outs(%[[SUM]] : tensor<16xf64>)
// CHECK: arith.truncf
// CHECK: tensor.insert_slice %{{.*}} into %[[OUT]][%[[I]], 0] [1, 16] [1, 1]
// GPU-LABEL: @sums
// GPU-NOT: scf.for
// GPU: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// GPU: arith.cmpi sle
func.func @sums(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %e0 = tensor.empty() : tensor<16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %sums:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?x16xf32>) outs(%e, %z : tensor<?x16xf32>, tensor<16xf32>) {
  ^bb0(%before: f32, %next: f32):
    %sum = arith.addf %before, %next : f32
    tm_tensor.yield %sum : f32
  } -> tensor<?x16xf32>, tensor<16xf32>
  return %sums#0 : tensor<?x16xf32>
}

// Each without its own element; a body that is no sum is a loop everywhere.
// CHECK-LABEL: @before
// CHECK: tensor.insert_slice %[[BEFORE:.*]] into
// GPU-LABEL: @before
// GPU: arith.cmpi slt
// GPU-LABEL: @other
// GPU: scf.for
func.func @before(%x: tensor<3x16xi64>, %e: tensor<3x16xi64>, %z: tensor<3xi64>) -> (tensor<3x16xi64>, tensor<3xi64>) {
  %sums:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<3x16xi64>) outs(%e, %z : tensor<3x16xi64>, tensor<3xi64>) {
  ^bb0(%before: i64, %next: i64):
    %sum = arith.addi %before, %next : i64
    tm_tensor.yield %sum : i64
  } -> tensor<3x16xi64>, tensor<3xi64>
  return %sums#0, %sums#1 : tensor<3x16xi64>, tensor<3xi64>
}
func.func @other(%x: tensor<3x16xi64>, %e: tensor<3x16xi64>, %z: tensor<3xi64>) -> tensor<3x16xi64> {
  %sums:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<3x16xi64>) outs(%e, %z : tensor<3x16xi64>, tensor<3xi64>) {
  ^bb0(%before: i64, %next: i64):
    %sum = arith.subi %before, %next : i64
    tm_tensor.yield %sum : i64
  } -> tensor<3x16xi64>, tensor<3xi64>
  return %sums#0 : tensor<3x16xi64>
}

// Rows whose elements lie apart, and not in whole blocks of four.
// CHECK-LABEL: @rows_of_sums
// CHECK: scf.forall {{.*}} = (0, 0) to (2, 7) step (1, 4)
// CHECK: scf.for {{.*}} to %c{{.*}} step %c1 iter_args({{.*}}) -> (tensor<1x?x100xi32>, tensor<1x?xi32>)
func.func @rows_of_sums(%x: tensor<2x7x100xi32>, %first: tensor<2x7xi32>) -> (tensor<2x7x100xi32>, tensor<2x7xi32>) {
  %e = tensor.empty() : tensor<2x7x100xi32>
  %sums:2 = tm_tensor.scan dimension(2) inclusive(true) ins(%x : tensor<2x7x100xi32>) outs(%e, %first : tensor<2x7x100xi32>, tensor<2x7xi32>) {
  ^bb0(%sum: i32, %next: i32):
    %0 = arith.addi %sum, %next : i32
    tm_tensor.yield %0 : i32
  } -> tensor<2x7x100xi32>, tensor<2x7xi32>
  return %sums#0, %sums#1 : tensor<2x7x100xi32>, tensor<2x7xi32>
}
