// Keys and values of 16 bits that many rows read are widened once, before all loops, and queries where their tiles are made;
// weights are not rounded; so attention's kernel is that of f32. Keys and values of few rows stay as they are, and all
// factors on a machine that multiplies pairs of bf16 faster; so do those of many rows where a matrix unit multiplies. With
// registers of 128 bits, only queries and weights are f32.
// RUN: tcc-attn opt %s --target=host:cooperlake --cores=2 --passes=widen-factors | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --cores=2 --passes=widen-factors | FileCheck %s --check-prefixes=PAIRS
// RUN: tcc-attn opt %s --target=host:sapphirerapids --cores=2 --passes=widen-factors | FileCheck %s --check-prefixes=UNIT
// RUN: tcc-attn opt %s --target=host:nehalem --cores=2 --passes=widen-factors | FileCheck %s --check-prefixes=TILED
// RUN: tcc-attn compile %s --target=host:cooperlake --cores=2 --dump=orient -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: tcc-attn run %s --func=many --random --check

#row = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @many(
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<512x32xbf16>)
// CHECK: arith.extf
// CHECK: %[[K:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<512x32xbf16>) {{.*}} attrs = {tec.once}
// CHECK: arith.extf
// CHECK: linalg_ext.batch_matmul ins(%[[Q]], %[[K]] : tensor<512x32xf32>, tensor<512x32xf32>)
// CHECK: %[[W:.*]] = linalg.softmax
// CHECK: %[[V:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<512x32xbf16>) {{.*}} attrs = {tec.once}
// CHECK: linalg.matmul ins(%[[W]], %[[V]] : tensor<512x512xf32>, tensor<512x32xf32>)
// PAIRS-LABEL: func.func @many(
// PAIRS-NOT: arith.extf
// UNIT-LABEL: func.func @many(
// UNIT: linalg_ext.batch_matmul ins(%arg0, %arg1 : tensor<512x32xbf16>, tensor<512x32xbf16>)
// TILED-LABEL: func.func @many(
// TILED: %[[Q:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<512x32xbf16>)
// TILED: linalg_ext.batch_matmul ins(%[[Q]], %arg1 : tensor<512x32xf32>, tensor<512x32xbf16>)
// TILED: %[[W:.*]] = linalg.softmax
// TILED: linalg.matmul ins(%[[W]], %arg2 : tensor<512x512xf32>, tensor<512x32xbf16>)
// Two kernels widen; the third has queries in lanes, and rounds nothing.
// TILES-LABEL: func.func @many(
// TILES: scf.forall
// TILES: attrs = {tec.once}
// TILES: scf.forall
// TILES: attrs = {tec.once}
// TILES: scf.forall
// TILES: scf.for %
// TILES: tensor.extract_slice {{.*}} tensor<512x32xf32> to tensor<{{[0-9]+}}x32xf32>
// TILES: linalg.generic {{.*}} outs(%{{.*}} : tensor<{{[0-9]+}}x64xf32>)
// TILES-NOT: arith.truncf
// TILES: tensor.extract_slice {{.*}} tensor<512x32xf32> to tensor<{{[0-9]+}}x32xf32>
func.func @many(%q: tensor<512x32xbf16>, %k: tensor<512x32xbf16>, %v: tensor<512x32xbf16>) -> tensor<512x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<512x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s2 = linalg_ext.batch_matmul ins(%q, %k : tensor<512x32xbf16>, tensor<512x32xbf16>) outs(%s1 : tensor<512x512xf32>) layout = "nt" -> tensor<512x512xf32>
  %w0 = linalg.softmax dimension(1) ins(%s2 : tensor<512x512xf32>) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %n0 = tensor.empty() : tensor<512x512xbf16>
  %w1 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%w0 : tensor<512x512xf32>) outs(%n0 : tensor<512x512xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<512x512xbf16>
  %r0 = tensor.empty() : tensor<512x32xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<512x32xf32>) -> tensor<512x32xf32>
  %r2 = linalg.matmul ins(%w1, %v : tensor<512x512xbf16>, tensor<512x32xbf16>) outs(%r1 : tensor<512x32xf32>) -> tensor<512x32xf32>
  return %r2 : tensor<512x32xf32>
}

// Rounded weights that somebody else reads are widened again: there would be two of all of them.
// PAIRS-LABEL: func.func @returned(
// CHECK-LABEL: func.func @returned(
// CHECK: arith.truncf
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[N:.*]] : tensor<512x512xf16>) outs(%{{.*}} : tensor<512x512xf32>)
// CHECK: linalg.matmul ins(%[[W]], %{{.*}} : tensor<512x512xf32>, tensor<512x32xf32>)
// CHECK: return %{{.*}}, %[[N]]
func.func @returned(%q: tensor<512x32xf16>, %k: tensor<512x32xf16>, %v: tensor<512x32xf16>) -> (tensor<512x32xf32>, tensor<512x512xf16>) {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<512x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s2 = linalg_ext.batch_matmul ins(%q, %k : tensor<512x32xf16>, tensor<512x32xf16>) outs(%s1 : tensor<512x512xf32>) layout = "nt" -> tensor<512x512xf32>
  %w0 = linalg.softmax dimension(1) ins(%s2 : tensor<512x512xf32>) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %n0 = tensor.empty() : tensor<512x512xf16>
  %w1 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%w0 : tensor<512x512xf32>) outs(%n0 : tensor<512x512xf16>) {
  ^bb0(%wide: f32, %old: f16):
    %narrow = arith.truncf %wide : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<512x512xf16>
  %r0 = tensor.empty() : tensor<512x32xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<512x32xf32>) -> tensor<512x32xf32>
  %r2 = linalg.matmul ins(%w1, %v : tensor<512x512xf16>, tensor<512x32xf16>) outs(%r1 : tensor<512x32xf32>) -> tensor<512x32xf32>
  return %r2, %w1 : tensor<512x32xf32>, tensor<512x512xf16>
}

// CHECK-LABEL: func.func @few(
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8x32xbf16>)
// CHECK: linalg_ext.batch_matmul ins(%[[Q]], %arg1 : tensor<8x32xf32>, tensor<512x32xbf16>)
// CHECK: %[[W:.*]] = linalg.softmax
// CHECK: linalg.matmul ins(%[[W]], %arg2 : tensor<8x512xf32>, tensor<512x32xbf16>)
// PAIRS-LABEL: func.func @few(
// PAIRS-NOT: arith.extf
// UNIT-LABEL: func.func @few(
// UNIT: linalg_ext.batch_matmul ins(%{{.*}}, %arg1 : tensor<8x32xf32>, tensor<512x32xbf16>)
func.func @few(%q: tensor<8x32xbf16>, %k: tensor<512x32xbf16>, %v: tensor<512x32xbf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<8x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %s2 = linalg_ext.batch_matmul ins(%q, %k : tensor<8x32xbf16>, tensor<512x32xbf16>) outs(%s1 : tensor<8x512xf32>) layout = "nt" -> tensor<8x512xf32>
  %w0 = linalg.softmax dimension(1) ins(%s2 : tensor<8x512xf32>) outs(%s0 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %n0 = tensor.empty() : tensor<8x512xbf16>
  %w1 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%w0 : tensor<8x512xf32>) outs(%n0 : tensor<8x512xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<8x512xbf16>
  %r0 = tensor.empty() : tensor<8x32xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r2 = linalg.matmul ins(%w1, %v : tensor<8x512xbf16>, tensor<512x32xbf16>) outs(%r1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r2 : tensor<8x32xf32>
}

// No machine multiplies pairs of f16.
// CHECK-LABEL: func.func @half(
// CHECK: arith.extf
// PAIRS-LABEL: func.func @half(
// PAIRS: arith.extf
func.func @half(%q: tensor<512x32xf16>, %k: tensor<512x32xf16>, %v: tensor<512x32xf16>) -> tensor<512x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<512x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s2 = linalg_ext.batch_matmul ins(%q, %k : tensor<512x32xf16>, tensor<512x32xf16>) outs(%s1 : tensor<512x512xf32>) layout = "nt" -> tensor<512x512xf32>
  %w0 = linalg.softmax dimension(1) ins(%s2 : tensor<512x512xf32>) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %n0 = tensor.empty() : tensor<512x512xf16>
  %w1 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%w0 : tensor<512x512xf32>) outs(%n0 : tensor<512x512xf16>) {
  ^bb0(%wide: f32, %old: f16):
    %narrow = arith.truncf %wide : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<512x512xf16>
  %r0 = tensor.empty() : tensor<512x32xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<512x32xf32>) -> tensor<512x32xf32>
  %r2 = linalg.matmul ins(%w1, %v : tensor<512x512xf16>, tensor<512x32xf16>) outs(%r1 : tensor<512x32xf32>) -> tensor<512x32xf32>
  return %r2 : tensor<512x32xf32>
}

// The factor of other products that all tiles of columns read, element by element; not the one that lanes hold, which each
// tile widens on the way into its panels.
// CHECK-LABEL: func.func @product(
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<64x128xbf16>) {{.*}} attrs = {tec.once}
// CHECK: arith.extf
// CHECK: linalg.matmul ins(%[[A]], %arg1 : tensor<64x128xf32>, tensor<128x512xbf16>)
// PAIRS-LABEL: func.func @product(
// PAIRS-NOT: arith.extf
func.func @product(%a: tensor<64x128xbf16>, %b: tensor<128x512xbf16>, %c: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x128xbf16>, tensor<128x512xbf16>) outs(%c : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// Near misses: few columns, few rows.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: arith.extf
// PAIRS-LABEL: func.func @narrow(
func.func @narrow(%a: tensor<64x128xbf16>, %b: tensor<128x256xbf16>, %c: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x128xbf16>, tensor<128x256xbf16>) outs(%c : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
// CHECK-LABEL: func.func @flat(
// CHECK-NOT: arith.extf
// PAIRS-LABEL: func.func @flat(
func.func @flat(%a: tensor<16x128xbf16>, %b: tensor<128x512xbf16>, %c: tensor<16x512xf32>) -> tensor<16x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x128xbf16>, tensor<128x512xbf16>) outs(%c : tensor<16x512xf32>) -> tensor<16x512xf32>
  return %r : tensor<16x512xf32>
}
