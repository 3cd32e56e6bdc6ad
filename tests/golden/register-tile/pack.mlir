// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s
// The keys are strided along the lanes: each 16 of them are transposed into a panel that all rows use.
func.func @scores(%q: memref<64x32xf32>, %k: memref<48x32xf32>, %s: memref<64x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<64x32xf32>, memref<48x32xf32>) outs(%s : memref<64x48xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %{{.*}}: memref<64x32xf32>, %[[K:.*]]: memref<48x32xf32>
// CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x32x16xf32>
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c48 step %c16
// CHECK: memref.subview %[[K]][%[[J]], 0] [16, 32] [1, 1]
// CHECK: %[[ROWS:.*]] = vector.transfer_read {{.*}}, vector<8x8xf32>
// CHECK: vector.transpose %[[ROWS]], [1, 0]
// CHECK: scf.for %{{.*}} step %c6
// CHECK: scf.for %[[D:.*]] = {{.*}} iter_args
// CHECK: vector.transfer_read %[[PANEL]][%c0, %[[D]], %c0], {{.*}} : memref<1x32x16xf32>, vector<1x16xf32>
// CHECK: vector.contract

// One row does not pay for a panel: lanes run over the reduction, and are added up at the end.
func.func @one_row(%q: memref<1x96xf32>, %k: memref<48x96xf32>, %s: memref<1x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<1x96xf32>, memref<48x96xf32>) outs(%s : memref<1x48xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: memref.alloca
// CHECK: %[[LANES:.*]] = scf.for {{.*}} -> (vector<4x16xf32>)
// CHECK: vector.multi_reduction <add>, %[[LANES]], %{{.*}} [1] : vector<4x16xf32> to vector<4xf32>

// Then each key is used once, so short ones are read as a whole, one after the other: memory is read in its order.
func.func @short_keys(%q: memref<1x32xf32>, %k: memref<48x32xf32>, %s: memref<1x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<1x32xf32>, memref<48x32xf32>) outs(%s : memref<1x48xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @short_keys(
// CHECK-NOT: memref.alloca
// CHECK: vector.transfer_read %arg1{{.*}} vector<32xf32>
// CHECK: vector.contract {{.*}} : vector<32xf32>, vector<32xf32> into f32

// Two rows meet each key together.
func.func @two_rows(%q: memref<2x32xf32>, %k: memref<48x32xf32>, %s: memref<2x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<2x32xf32>, memref<48x32xf32>) outs(%s : memref<2x48xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @two_rows(
// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [2] : vector<2x4x8xf32> to vector<2x4xf32>

// Where rows of a factor lie pages apart, panels of all SIMD tiles are made at once: each row is read as far as they go,
// and some rows further on are asked for.
// CHECK-LABEL: func.func @far_rows(
// CHECK: %[[PANELS:.*]] = memref.alloca() {{.*}} : memref<4x256x16xf32>
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %c256 step %c2
// CHECK-NEXT: scf.for %[[TILE:.*]] = %{{.*}} to %c4 step %c1
// CHECK: vector.transfer_read {{.*}}tec.prefetch = array<i64: 16, 0>
// CHECK: vector.transfer_write %{{.*}}[%[[TILE]], %[[ROW]], %c0]
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c64 step %c16
// CHECK: memref.subview %[[PANELS]][{{.*}}, 0, 0] [1, 256, 16] [1, 1, 1]
// CHECK: vector.contract
func.func @far_rows(%a: memref<64x256xf32>, %b: memref<256x64xf32, strided<[1024, 1]>>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x256xf32>, memref<256x64xf32, strided<[1024, 1]>>) outs(%c : memref<64x64xf32>)
  return
}

// Factors that the body widens are widened once: what all SIMD tiles read before the loops, what rows use again on its way
// into the panel.
// CHECK-LABEL: func.func @narrow(
// CHECK-DAG: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<2x64x16xf32>
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<64x64xf32>
// CHECK: arith.extf
// CHECK: vector.transfer_write %{{.*}}, %[[ROWS]]
// CHECK: arith.extf
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} memref<2x64x16xf32
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.extf
// CHECK: vector.contract
func.func @narrow(%a: memref<64x64xbf16>, %b: memref<64x32xbf16>, %c: memref<64x32xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x32xbf16>) outs(%c : memref<64x32xf32>)
  return
}

// Few rows are too few for a panel as well: several meet several of the other factor, which they read together, and all
// read one that lies the other way round in a tile that is as narrow.
// CHECK-LABEL: func.func @few(
// CHECK: scf.for %[[KEY:.*]] = %{{.*}} to %c128 step %c2
// CHECK: vector.transfer_read %{{.*}}[%c0, %{{.*}}]{{.*}} vector<3x8xf32>
// CHECK: vector.transfer_read %{{.*}}[%[[KEY]], %{{.*}}]{{.*}} vector<2x8xf32>
// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [2] : vector<3x2x8xf32> to vector<3x2xf32>
// CHECK: vector.transfer_read %{{.*}} vector<5x16xf32>
// CHECK: vector.transfer_read %{{.*}} vector<1x16xf32>
// CHECK: vector.contract {{.*}} into vector<5x16xf32>
func.func @few(%queries: memref<5x128xf32>, %keys: memref<128x128xf32>, %scores: memref<5x128xf32>,
               %values: memref<128x128xf32>, %result: memref<5x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>,
                                   affine_map<(q, k, d) -> (q, k)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%queries, %keys : memref<5x128xf32>, memref<128x128xf32>) outs(%scores : memref<5x128xf32>) {
  ^bb0(%query: f32, %key: f32, %score: f32):
    %product = arith.mulf %query, %key : f32
    %sum = arith.addf %score, %product : f32
    linalg.yield %sum : f32
  }
  linalg.matmul ins(%scores, %values : memref<5x128xf32>, memref<128x128xf32>) outs(%result : memref<5x128xf32>)
  return
}
