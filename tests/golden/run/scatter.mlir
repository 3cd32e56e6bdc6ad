// Rows that are put into a cache by position, and sums so far: on hosts and GPUs.
// RUN: tcc-attn run %s --func=append --random --check --verify
// RUN: tcc-attn run %s --func=append --random --check --target=host:x86-64
// RUN: tcc-attn run %s --func=append --random --check --device=ptx-emu --target=nvptx:sm_80
// RUN: tcc-attn run %s --func=append --random --check --device=ptx-emu --target=nvptx:sm_90a
// RUN: tcc-attn run %s --func=pages --random --dims=1 --check
// RUN: tcc-attn run %s --func=pages --random --dims=1 --check --device=ptx-emu
// RUN: tcc-attn run %s --func=pages --random --dims=9 --check
// RUN: tcc-attn run %s --func=pages --random --dims=0 --check
// RUN: tcc-attn run %s --func=sums --random --dims=37 --check
// RUN: tcc-attn run %s --func=sums --random --dims=0 --check
// RUN: tcc-attn run %s --func=sums --random --dims=37 --check --device=ptx-emu
// RUN: tcc-attn run %s --func=before --random --check
// RUN: tcc-attn run %s --func=before --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=nothing --random --check --verify
// RUN: tcc-attn run %s --func=nothing --random --check --device=ptx-emu
// RUN: tcc-attn explain %s | FileCheck %s
// CHECK-LABEL: @append
// CHECK-NEXT: puts tensor<4x8xf32> into tensor<1x4x64x8xf32> (line
// CHECK-NEXT: kernel 1: an elementwise step

// One new row of each head, in place: its dims of extent 1 are no loops.
#row = affine_map<(b, h, s, d) -> (s)>
#head = affine_map<(b, h, s, d) -> (h)>
#all = affine_map<(b, h, s, d) -> (b, h, s, d)>
func.func @append(%cache: memref<1x4x64x8xf32>, %place: tensor<1xi64>, %row: tensor<1x4x1x8xf32>) -> tensor<1x4x64x8xf32> {
  %before = bufferization.to_tensor %cache restrict writable : memref<1x4x64x8xf32> to tensor<1x4x64x8xf32>
  %zeros = arith.constant dense<0> : tensor<32x1xi64>
  %empty = tensor.empty() : tensor<1x4x1x8xi64>
  %heads = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<1x4x1x8xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 1 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<1x4x1x8xi64>
  %places = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%place : tensor<1xi64>) outs(%empty : tensor<1x4x1x8xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<1x4x1x8xi64>
  %columns = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<1x4x1x8xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 3 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<1x4x1x8xi64>
  %flat_heads = tensor.collapse_shape %heads [[0, 1, 2, 3]] : tensor<1x4x1x8xi64> into tensor<32xi64>
  %flat_places = tensor.collapse_shape %places [[0, 1, 2, 3]] : tensor<1x4x1x8xi64> into tensor<32xi64>
  %flat_columns = tensor.collapse_shape %columns [[0, 1, 2, 3]] : tensor<1x4x1x8xi64> into tensor<32xi64>
  %i1 = tensor.expand_shape %flat_heads [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
  %i2 = tensor.expand_shape %flat_places [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
  %i3 = tensor.expand_shape %flat_columns [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
  %indices = tensor.concat dim(1) %zeros, %i1, %i2, %i3 : (tensor<32x1xi64>, tensor<32x1xi64>, tensor<32x1xi64>, tensor<32x1xi64>) -> tensor<32x4xi64>
  %flat = tensor.collapse_shape %row [[0, 1, 2, 3]] : tensor<1x4x1x8xf32> into tensor<32xf32>
  %updates = tensor.expand_shape %flat [[0, 1, 2, 3, 4]] output_shape [32, 1, 1, 1, 1] : tensor<32xf32> into tensor<32x1x1x1x1xf32>
  %after = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%updates, %indices : tensor<32x1x1x1x1xf32>, tensor<32x4xi64>) outs(%before : tensor<1x4x64x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<1x4x64x8xf32>
  %result = math.exp %after : tensor<1x4x64x8xf32>
  bufferization.materialize_in_destination %after in restrict writable %cache : (tensor<1x4x64x8xf32>, memref<1x4x64x8xf32>) -> ()
  return %result : tensor<1x4x64x8xf32>
}

// Rows in pages: two indices each, and slices of what they do not subscript.
func.func @pages(%cache: tensor<8x4x16x8xf32>, %places: tensor<?x2xi32>, %rows: tensor<?x4x1x8xf32>) -> tensor<8x4x16x8xf32> {
  %c0 = arith.constant 0 : index
  %count = tensor.dim %rows, %c0 : tensor<?x4x1x8xf32>
  %updates = tensor.expand_shape %rows [[0, 1], [2], [3], [4]] output_shape [%count, 1, 4, 1, 8] : tensor<?x4x1x8xf32> into tensor<?x1x4x1x8xf32>
  %result = tm_tensor.scatter {dimension_map = array<i64: 0, 2>} unique_indices(true) ins(%updates, %places : tensor<?x1x4x1x8xf32>, tensor<?x2xi32>) outs(%cache : tensor<8x4x16x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<8x4x16x8xf32>
  return %result : tensor<8x4x16x8xf32>
}

func.func @sums(%x: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %e0 = tensor.empty() : tensor<16xf32>
  %start = linalg.fill ins(%one : f32) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %sums:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?x16xf32>) outs(%e, %start : tensor<?x16xf32>, tensor<16xf32>) {
  ^bb0(%before: f32, %next: f32):
    %sum = arith.addf %before, %next : f32
    tm_tensor.yield %sum : f32
  } -> tensor<?x16xf32>, tensor<16xf32>
  return %sums#0, %sums#1 : tensor<?x16xf32>, tensor<16xf32>
}

func.func @before(%x: tensor<3x45xi64>, %start: tensor<3xi64>) -> (tensor<3x45xi64>, tensor<3xi64>) {
  %e = tensor.empty() : tensor<3x45xi64>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<3x45xi64>) outs(%e, %start : tensor<3x45xi64>, tensor<3xi64>) {
  ^bb0(%before: i64, %next: i64):
    %larger = arith.maxsi %before, %next : i64
    tm_tensor.yield %larger : i64
  } -> tensor<3x45xi64>, tensor<3xi64>
  return %sums#0, %sums#1 : tensor<3x45xi64>, tensor<3xi64>
}

// No updates, and rows without elements.
func.func @nothing(%into: tensor<4x8xf32>, %places: tensor<0x1xi64>, %rows: tensor<0x8xf32>, %x: tensor<3x0xf32>, %start: tensor<3xf32>) -> (tensor<4x8xf32>, tensor<3x0xf32>, tensor<3xf32>, tensor<3x0xf32>) {
  %same = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%rows, %places : tensor<0x8xf32>, tensor<0x1xi64>) outs(%into : tensor<4x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<3x0xf32>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x0xf32>) outs(%e, %start : tensor<3x0xf32>, tensor<3xf32>) {
  ^bb0(%before: f32, %next: f32):
    %sum = arith.addf %before, %next : f32
    tm_tensor.yield %sum : f32
  } -> tensor<3x0xf32>, tensor<3xf32>
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<3x0xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<3x0xf32>
  return %same, %sums#0, %sums#1, %sorted : tensor<4x8xf32>, tensor<3x0xf32>, tensor<3xf32>, tensor<3x0xf32>
}
