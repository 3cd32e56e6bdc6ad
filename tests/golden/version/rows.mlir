// A kernel over an open number of rows gets a version for one row, whose tiles have one row in their types, and one for the
// few rows that no factor is packed for: fewer where that factor has long rows or each row widens it, none where a tile
// is smaller.
// Rows are what only one factor of a product has; a kernel without product, or with fixed rows, has one version.
// RUN: tcc-attn opt %s --target=host:emeraldrapids --passes=version,simplify | FileCheck %s --check-prefixes=CHECK,APART
// RUN: tcc-attn opt %s --target=host:znver4 --passes=version,simplify | FileCheck %s --check-prefixes=CHECK,TOGETHER
// RUN: tcc-attn opt %s --target=host:znver5 --passes=version,simplify | FileCheck %s --check-prefixes=CHECK,TOGETHER
// RUN: tcc-attn opt %s --passes=version,register-tile,simplify --verify

#tile = affine_map<(d0, d1) -> (d1 - d0, 64)>
// CHECK-LABEL: func.func @product(
// CHECK: %[[ROWS:.*]] = memref.dim %arg0, %c0
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[ROWS]], %c1
// CHECK: scf.if %[[ONE]]
// CHECK-NEXT: memref.subview %arg0[0, 0] [1, 32] [1, 1] : memref<?x32xf32> to memref<1x32xf32
// CHECK-NEXT: memref.subview %arg2[0, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<1x16xf32
// CHECK-NEXT: scf.forall (%{{.*}}) = (0) to (%c1) step (64)
// CHECK-NEXT: linalg.matmul ins(%{{.*}}, %arg1 : memref<1x32xf32
// CHECK: else
// CHECK-NEXT: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %c11
// CHECK-NEXT: scf.if %[[FEW]]
// CHECK-NEXT: %[[BOUNDED:.*]] = affine.min #{{.*}}(%[[ROWS]])
// CHECK-NEXT: memref.subview %arg0[0, 0] [%[[BOUNDED]], 32]
// CHECK-NEXT: memref.subview %arg2[0, 0] [%[[BOUNDED]], 16]
// CHECK-NEXT: scf.forall (%{{.*}}) = (0) to (%[[BOUNDED]]) step (64)
// CHECK-NEXT: linalg.matmul
// CHECK: else
// CHECK-NEXT: scf.forall (%[[I:.*]]) = (0) to (%[[ROWS]]) step (64)
// CHECK-NEXT: affine.min
func.func @product(%a: memref<?x32xf32>, %b: memref<32x16xf32>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x16xf32>)
        outs(%c_tile : memref<?x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @long_rows(
// CHECK: arith.cmpi sle, %{{.*}}, %c7
func.func @long_rows(%a: memref<?x32xf32>, %b: memref<32x512xf32>, %c: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 512] [1, 1] : memref<?x512xf32> to memref<?x512xf32, strided<[512, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x512xf32>)
        outs(%c_tile : memref<?x512xf32, strided<[512, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @widened(
// APART: arith.cmpi sle, %{{.*}}, %c3
// TOGETHER: arith.cmpi sle, %{{.*}}, %c12
func.func @widened(%a: memref<?x32xbf16>, %b: memref<32x16xbf16>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xbf16>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xbf16> to memref<?x32xbf16, strided<[32, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xbf16, strided<[32, 1], offset: ?>>, memref<32x16xbf16>)
        outs(%c_tile : memref<?x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

#narrow_tile = affine_map<(d0, d1) -> (d1 - d0, 4)>
// CHECK-LABEL: func.func @narrow_tiles(
// CHECK: arith.cmpi eq
// CHECK-NOT: arith.cmpi
func.func @narrow_tiles(%a: memref<?x32xf32>, %b: memref<32x16xf32>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (4) {
    %size = affine.min #narrow_tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x16xf32>)
        outs(%c_tile : memref<?x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @no_product(
// CHECK-NOT: scf.if
func.func @no_product(%a: memref<?x32xf32>, %c: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %c_tile = memref.subview %c[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.exp ins(%a_tile : memref<?x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c_tile : memref<?x32xf32, strided<[32, 1], offset: ?>>)
  }
  return
}

// Scratch memory of as many rows as a tile may have needs one in the version for one, and few in the version for few, where
// all its users are views.
// CHECK-LABEL: func.func @scratch(
// CHECK: scf.if
// CHECK: memref.alloca() : memref<1x16xf32>
// CHECK-NOT: memref.dealloc
// CHECK: else
// CHECK: scf.if
// CHECK: memref.alloca() : memref<11x16xf32>
// CHECK-NOT: memref.dealloc
// CHECK: else
// CHECK: memref.alloc() : memref<64x16xf32>
// CHECK: memref.dealloc
func.func @scratch(%a: memref<?x32xf32>, %b: memref<32x16xf32>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %memory = memref.alloc() : memref<64x16xf32>
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %product = memref.subview %memory[0, 0] [%size, 16] [1, 1] : memref<64x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %c_tile = memref.subview %c[%i, 0] [%size, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x16xf32>)
        outs(%product : memref<?x16xf32, strided<[16, 1]>>)
    linalg.exp ins(%product : memref<?x16xf32, strided<[16, 1]>>)
        outs(%c_tile : memref<?x16xf32, strided<[16, 1], offset: ?>>)
    memref.dealloc %memory : memref<64x16xf32>
  }
  return
}

// Memory with another reader stays as large as it is.
// CHECK-LABEL: func.func @read_otherwise(
// CHECK: scf.if
// CHECK: memref.alloc() : memref<64x16xf32>
// CHECK: memref.dealloc
// CHECK: else
func.func @read_otherwise(%a: memref<?x32xf32>, %b: memref<32x16xf32>, %c: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %a, %c0 : memref<?x32xf32>
  scf.forall (%i) = (0) to (%rows) step (64) {
    %size = affine.min #tile(%i, %rows)
    %memory = memref.alloc() : memref<64x16xf32>
    %a_tile = memref.subview %a[%i, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    %product = memref.subview %memory[0, 0] [%size, 16] [1, 1] : memref<64x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    linalg.matmul ins(%a_tile, %b : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x16xf32>)
        outs(%product : memref<?x16xf32, strided<[16, 1]>>)
    %element = memref.load %memory[%c0, %c0] : memref<64x16xf32>
    memref.store %element, %c[%i, %c0] : memref<?x16xf32>
    memref.dealloc %memory : memref<64x16xf32>
  }
  return
}
