// Products of bf16 on a CPU with a matrix unit: tiles of 16 rows, 16 columns and 32 terms, two by two, from zeros or from
// what is there; the columns' factor in a panel of pairs of terms.
// RUN: tcc-attn opt %s --target=host:sapphirerapids --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: amx.

// Terms are neighbours in memory: pairs are transposed.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %[[A:.*]]: memref<64x64xbf16>, %[[B:.*]]: memref<96x64xbf16>, %[[C:.*]]: memref<64x96xf32>
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<6x32x32xbf16>
// CHECK-NOT: vector.transfer_write
// CHECK: %[[ROWS:.*]] = vector.transfer_read %[[B]]{{.*}} {in_bounds = [true, true]} {{.*}}, vector<16x32xbf16>
// CHECK: %[[PAIRS:.*]] = vector.bitcast %[[ROWS]] : vector<16x32xbf16> to vector<16x16xi32>
// CHECK: %[[TURNED:.*]] = vector.transpose %[[PAIRS]], [1, 0]
// CHECK: %[[BACK:.*]] = vector.bitcast %[[TURNED]]
// CHECK: vector.transfer_write %[[BACK]], %[[PANEL]]
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c64 step %c32
// CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c96 step %c32
// CHECK-COUNT-4: amx.tile_zero : !amx.tile<16x16xf32>
// CHECK: scf.for %[[TERM:.*]] = %c0 to %c64 step %c32 iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[S3:.*]] = %{{.*}}) ->
// CHECK: %[[A0:.*]] = amx.tile_load %[[A]][%[[ROW]], %[[TERM]]] : memref<64x64xbf16> into !amx.tile<16x32xbf16>
// CHECK: %[[A1:.*]] = amx.tile_load %[[A]]
// CHECK: %[[B0:.*]] = amx.tile_load %[[PANEL]]
// CHECK: %[[B1:.*]] = amx.tile_load %[[PANEL]]
// CHECK: amx.tile_mulf %[[A0]], %[[B0]], %[[S0]]
// CHECK: amx.tile_mulf %[[A0]], %[[B1]], %[[S1]]
// CHECK: amx.tile_mulf %[[A1]], %[[B0]], %[[S2]]
// CHECK: amx.tile_mulf %[[A1]], %[[B1]], %[[S3]]
// CHECK: scf.yield
// CHECK: amx.tile_store %[[C]][%[[ROW]], %[[COLUMN]]], %{{.*}} : memref<64x96xf32>, !amx.tile<16x16xf32>
// CHECK-COUNT-3: amx.tile_store %[[C]]{{.*}} !amx.tile<16x16xf32>
// CHECK-NOT: amx.tile
// CHECK: return
func.func @turned(%a: memref<64x64xbf16>, %b: memref<96x64xbf16>, %c: memref<64x96xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x96xf32>)
  linalg_ext.batch_matmul ins(%a, %b : memref<64x64xbf16>, memref<96x64xbf16>) outs(%c : memref<64x96xf32>) layout = "nt"
  return
}

// Columns are neighbours: two terms are interleaved. Sums start from what is there.
// CHECK-LABEL: func.func @added(
// CHECK: %[[TERMS:.*]] = vector.transfer_read {{.*}}, vector<2x16xbf16>
// CHECK: vector.interleave %{{.*}}, %{{.*}} : vector<16xbf16> -> vector<32xbf16>
// CHECK-NOT: amx.tile_zero
// CHECK-COUNT-4: amx.tile_load %{{.*}} into !amx.tile<16x16xf32>
// CHECK: amx.tile_mulf
// CHECK: return
func.func @added(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// What is left of rows or columns in whole tiles is fewer of these: 16 rows by 32 columns, 32 by 16, 16 by 16.
// CHECK-LABEL: func.func @tiles(
// CHECK-COUNT-1: memref.alloca
// CHECK-NOT: memref.alloca
// CHECK-COUNT-9: amx.tile_mulf
// CHECK-NOT: amx.tile_mulf
// CHECK: return
func.func @tiles(%a: memref<48x32xbf16>, %b: memref<32x48xbf16>, %c: memref<48x48xf32>) {
  linalg.matmul ins(%a, %b : memref<48x32xbf16>, memref<32x48xbf16>) outs(%c : memref<48x48xf32>)
  return
}

// Nothing is whole: rows and columns go through a block of scratch memory, and the rows' factor through a copy, where the
// terms that are too many are zeros.
// CHECK-LABEL: func.func @ragged(
// CHECK-DAG: %[[COPY:.*]] = memref.alloca() {{.*}} : memref<64x64xbf16>
// CHECK-DAG: memref.alloca() {{.*}} : memref<32x32xf32>
// CHECK: amx.tile_load %[[COPY]]
// CHECK: return
func.func @ragged(%a: memref<37x41xbf16>, %b: memref<41x51xbf16>, %c: memref<37x51xf32>) {
  linalg.matmul ins(%a, %b : memref<37x41xbf16>, memref<41x51xbf16>) outs(%c : memref<37x51xf32>)
  return
}

// Terms in parts, whose sums are added up in memory: zeros are written before.
// CHECK-LABEL: func.func @long(
// CHECK: vector.transfer_write
// CHECK: scf.for %[[PART:.*]] = %c0 to %c1024 step %c512
// CHECK-NOT: amx.tile_zero
// CHECK: %[[END:.*]] = affine.apply #{{.*}}(%[[PART]])
// CHECK: scf.for %{{.*}} = %[[PART]] to %[[END]] step %c32 iter_args
// CHECK: scf.for %{{.*}} = %c1024 to %c1120 step %c32 iter_args
// CHECK: return
func.func @long(%a: memref<32x1120xbf16>, %b: memref<32x1120xbf16>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  linalg_ext.batch_matmul ins(%a, %b : memref<32x1120xbf16>, memref<32x1120xbf16>) outs(%c : memref<32x32xf32>) layout = "nt"
  return
}

// Open numbers of rows and columns.
// CHECK-LABEL: func.func @open(
// CHECK: amx.tile_mulf
// CHECK: return
func.func @open(%a: memref<?x64xbf16>, %b: memref<64x?xbf16>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x64xbf16>, memref<64x?xbf16>) outs(%c : memref<?x?xf32>)
  return
}

// Too few rows to fill tiles; a factor of f32; an open number of terms.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: amx.
// CHECK: return
func.func @few(%a: memref<8x64xbf16>, %b: memref<64x64xbf16>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xbf16>, memref<64x64xbf16>) outs(%c : memref<8x64xf32>)
  return
}
func.func @wide(%a: memref<64x64xf32>, %b: memref<64x64xbf16>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}
func.func @open_terms(%a: memref<64x?xbf16>, %b: memref<?x64xbf16>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x?xbf16>, memref<?x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// Rows that lie pages apart meet in few sets of the first-level cache: a block's are copied, tile by tile, for all of its
// many columns; what is left of rows is read where it lies. Panels that do not stay there are read past it.
// CHECK-LABEL: func.func @strip(
// CHECK-SAME: %[[A:.*]]: memref<80x1024xbf16>
// CHECK: %[[STRIP:.*]] = memref.alloca() {{.*}} : memref<16x32x32xbf16>
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<16x512x32xbf16>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c64 step %c32
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[A]][%[[ROW]], %{{.*}} vector<32x32xbf16>
// CHECK: vector.transfer_write %[[TILE]], %[[STRIP]]
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK: amx.tile_load %[[STRIP]][%{{.*}}, %c0, %c0] : memref<16x32x32xbf16> into !amx.tile<16x32xbf16>
// CHECK: amx.tile_load %[[STRIP]][%{{.*}}, %c16, %c0] :
// CHECK: amx.tile_load %[[PANEL]]{{.*}} {tec.streamed} :
// CHECK: amx.tile_load %[[A]][%c64, %{{.*}}] :
// CHECK: return
func.func @strip(%a: memref<80x1024xbf16>, %b: memref<1024x256xbf16>, %c: memref<80x256xf32>) {
  linalg.matmul ins(%a, %b : memref<80x1024xbf16>, memref<1024x256xbf16>) outs(%c : memref<80x256xf32>)
  return
}

// A loop that both factors have, between rows and terms.
// CHECK-LABEL: func.func @heads_last(
// CHECK: amx.tile_load %{{.*}} : memref<48x64xbf16, strided<[192, 1], offset: ?>> into !amx.tile<16x32xbf16>
// CHECK: return
func.func @heads_last(%a: memref<48x3x64xbf16>, %b: memref<64x3x64xbf16>, %c: memref<3x48x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(h, i, j, k) -> (i, h, k)>, affine_map<(h, i, j, k) -> (j, h, k)>, affine_map<(h, i, j, k) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<48x3x64xbf16>, memref<64x3x64xbf16>) outs(%c : memref<3x48x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
