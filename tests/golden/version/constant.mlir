// Where rows of any number read panels of a constant there is one version, for all of them: others would read the constant
// as it is. A machine on which few rows had better read it in place has versions.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=version,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=version,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:emeraldrapids --passes=version,simplify | FileCheck %s --check-prefix=VERSIONS
// RUN: tcc-attn opt %s --target=host:znver4 --passes=version,register-tile,simplify | FileCheck %s --check-prefix=TILES
// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=version,register-tile,simplify | FileCheck %s --check-prefix=ASKS
#tile = affine_map<(d0, d1) -> (d1 - d0, 64)>
memref.global "private" constant @weights : memref<4x16xf32> = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]]>
// CHECK-LABEL: func.func @product(
// CHECK-NOT: scf.if
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// VERSIONS-LABEL: func.func @product(
// VERSIONS: scf.if
// VERSIONS: scf.if

// Behind whole tiles, and half of one, there is one for each number of rows that may be left over.
// TILES-LABEL: func.func @product(
// TILES: vector.contract {{.*}} vector<8x1xf32>, vector<1x16xf32>
// TILES: vector.contract {{.*}} vector<7x1xf32>, vector<1x16xf32>
// TILES: vector.contract {{.*}} vector<6x1xf32>, vector<1x16xf32>
// TILES: vector.contract {{.*}} vector<2x1xf32>, vector<1x16xf32>
// Small tiles ask for panels ahead, but for one or two rows.
// ASKS-LABEL: func.func @product(
// ASKS: vector.transfer_read {{.*}}tec.prefetch
// ASKS: vector.contract {{.*}} vector<3x1xf32>
// ASKS-NOT: tec.prefetch
// ASKS: vector.contract {{.*}} vector<2x1xf32>
// ASKS-NOT: tec.prefetch
func.func @product(%a: memref<?x4xf32>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %b = memref.get_global @weights : memref<4x16xf32>
  %rows = memref.dim %a, %c0 : memref<?x4xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<4x16xf32>)
        outs(%c_tile : memref<?x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}
