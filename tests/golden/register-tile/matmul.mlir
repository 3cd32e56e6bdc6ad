// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=WIDE
// RUN: tcc-attn opt %s --target=host:sapphirerapids --passes=register-tile,simplify | FileCheck %s --check-prefix=TWICE
// Six rows of two registers; the four rows left over are a smaller tile, the three lanes left over a masked one.
func.func @matmul(%a: memref<130x64xf32>, %b: memref<64x35xf32>, %c: memref<130x35xf32>) {
  linalg.matmul ins(%a, %b : memref<130x64xf32>, memref<64x35xf32>) outs(%c : memref<130x35xf32>)
  return
}
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: memref<130x64xf32>, %[[B:.*]]: memref<64x35xf32>, %[[C:.*]]: memref<130x35xf32>)
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c16
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c6
// CHECK: %[[INIT:.*]] = vector.transfer_read %[[C]][%[[I]], %[[J]]], %{{.*}} {in_bounds = [true, true]} : memref<130x35xf32>, vector<6x16xf32>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (vector<6x16xf32>)
// CHECK: %[[L:.*]] = vector.transfer_read %[[A]][%[[I]], %[[K]]], {{.*}}, vector<6x1xf32>
// CHECK: %[[R:.*]] = vector.transfer_read %[[B]][%[[K]], %[[J]]], {{.*}}, vector<1x16xf32>
// CHECK: vector.contract {{.*}} %[[L]], %[[R]], %[[ACC]] : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
// CHECK: } {tec.unroll = 4 : i64}
// CHECK: vector.transfer_write %[[SUM]], %[[C]][%[[I]], %[[J]]]
// CHECK: vector.contract {{.*}} into vector<4x16xf32>
// CHECK: vector.transfer_read %[[C]][%{{.*}}, %c32], %{{.*}} {in_bounds = [true, false]} : memref<130x35xf32>, vector<6x4xf32>
// CHECK: vector.contract {{.*}} into vector<6x4xf32>
// CHECK: vector.contract {{.*}} into vector<4x4xf32>
// CHECK-NOT: linalg

// Two rows are too few for a tile of their own: with the last six they make two tiles of four.
func.func @few_left(%a: memref<128x64xf32>, %b: memref<64x32xf32>, %c: memref<128x32xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xf32>, memref<64x32xf32>) outs(%c : memref<128x32xf32>)
  return
}
// CHECK-LABEL: func.func @few_left(
// CHECK: scf.for %{{.*}} = %c0 to %c120 step %c6
// CHECK: vector.contract {{.*}} into vector<6x16xf32>
// CHECK: scf.for %{{.*}} = %c120 to %c128 step %c4
// CHECK: vector.contract {{.*}} into vector<4x16xf32>
// CHECK-NOT: vector.contract

// With 32 registers, rows of four that are read in place are taken whole, four at a time; not longer ones.
func.func @whole(%a: memref<128x64xf32>, %b: memref<64x64xf32>, %c: memref<128x64xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xf32>, memref<64x64xf32>) outs(%c : memref<128x64xf32>)
  return
}
// CHECK-LABEL: func.func @whole(
// WIDE-LABEL: func.func @whole(
// WIDE: scf.for %{{.*}} = %c0 to %c128 step %c4
// WIDE: vector.contract {{.*}} into vector<4x64xf32>
// WIDE-NOT: vector.contract
func.func @long(%a: memref<128x64xf32>, %b: memref<64x128xf32>, %c: memref<128x128xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xf32>, memref<64x128xf32>) outs(%c : memref<128x128xf32>)
  return
}
// WIDE-LABEL: func.func @long(
// WIDE: vector.contract {{.*}} into vector<8x32xf32>
// WIDE-NOT: vector.contract

// With two pipes of multiply-adds six rows of four registers have fewest loads; a power of two of rows where these are
// neighbours in memory. 36 lanes that are left over are two tiles, of two registers and of one.
func.func @fewest_loads(%a: memref<128x64xf32>, %b: memref<64x100xf32>, %c: memref<128x100xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xf32>, memref<64x100xf32>) outs(%c : memref<128x100xf32>)
  return
}
// TWICE-LABEL: func.func @fewest_loads(
// TWICE: scf.for %{{.*}} = %c0 to %c120 step %c6
// TWICE: vector.contract {{.*}} into vector<6x64xf32>
// TWICE: vector.contract {{.*}} into vector<4x64xf32>
// TWICE: vector.contract {{.*}} into vector<6x32xf32>
// TWICE: vector.transfer_read %{{.*}}[%{{.*}}, %c96], {{.*}} {in_bounds = [true, true]} : memref<128x100xf32>, vector<6x4xf32>
// TWICE: vector.contract {{.*}} into vector<6x4xf32>
// WIDE-LABEL: func.func @fewest_loads(
// WIDE: vector.contract {{.*}} into vector<8x32xf32>
func.func @neighbours(%a: memref<64x128xf32>, %b: memref<64x128xf32>, %c: memref<128x128xf32>) {
  linalg_ext.batch_matmul ins(%a, %b : memref<64x128xf32>, memref<64x128xf32>) outs(%c : memref<128x128xf32>) layout = "tn"
  return
}
// TWICE-LABEL: func.func @neighbours(
// TWICE: vector.contract {{.*}} into vector<4x64xf32>
// TWICE-NOT: vector.contract

// Lanes that are left over where their number is not known: two registers as often as they are full, then one.
func.func @open_lanes(%a: memref<128x64xf32>, %b: memref<64x?xf32>, %c: memref<128x?xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xf32>, memref<64x?xf32>) outs(%c : memref<128x?xf32>)
  return
}
// TWICE-LABEL: func.func @open_lanes(
// TWICE: scf.for %{{.*}} step %c64
// TWICE: vector.contract {{.*}} into vector<6x64xf32>
// TWICE: scf.for %{{.*}} step %c32
// TWICE: vector.transfer_read {{.*}} {in_bounds = [true, true]} : memref<128x?xf32>, vector<6x32xf32>
// TWICE: vector.contract {{.*}} into vector<6x32xf32>
// TWICE: scf.for %{{.*}} step %c16
// TWICE: vector.transfer_read {{.*}} {in_bounds = [true, false]} : memref<128x?xf32>, vector<6x16xf32>
// TWICE: vector.contract {{.*}} into vector<6x16xf32>

// Rows that are whole pages apart lie in one set of the nearest cache: no more of them are a tile than it has lines.
// WIDE-LABEL: func.func @pages_apart(
// WIDE: vector.contract {{.*}} vector<8x1xf32>, vector<1x16xf32> into vector<8x16xf32>
// WIDE: vector.contract {{.*}} vector<16x1xf32>, vector<1x16xf32> into vector<16x16xf32>
func.func @pages_apart(%a: memref<64x64xf32, strided<[1024, 1]>>, %b: memref<64x16xf32>, %c: memref<64x16xf32>,
                       %d: memref<64x64xf32, strided<[1000, 1]>>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32, strided<[1024, 1]>>, memref<64x16xf32>) outs(%c : memref<64x16xf32>)
  linalg.matmul ins(%d, %b : memref<64x64xf32, strided<[1000, 1]>>, memref<64x16xf32>) outs(%c : memref<64x16xf32>)
  return
}
