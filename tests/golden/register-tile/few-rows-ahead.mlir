// Few rows of a product whose other factor has long rows, in pieces of 512 bytes: these are asked for from two pieces
// ahead, where loads are to spare; many rows ask for the next one.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify --verify | FileCheck %s

// CHECK-LABEL: func.func @four(
// CHECK: tec.prefetch = array<i64: 0, 512>{{.*}} memref<128x256xbf16
func.func @four(%x: memref<4x8192xbf16>, %w: memref<128x8192xbf16>, %y: memref<4x128xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c8192 = arith.constant 8192 : index
  scf.for %k = %c0 to %c8192 step %c256 {
    %a = memref.subview %x[0, %k] [4, 256] [1, 1] : memref<4x8192xbf16> to memref<4x256xbf16, strided<[8192, 1], offset: ?>>
    %b = memref.subview %w[0, %k] [128, 256] [1, 1] : memref<128x8192xbf16> to memref<128x256xbf16, strided<[8192, 1], offset: ?>>
    linalg_ext.batch_matmul ins(%a, %b : memref<4x256xbf16, strided<[8192, 1], offset: ?>>, memref<128x256xbf16, strided<[8192, 1], offset: ?>>)
        outs(%y : memref<4x128xf32>) layout = "nt"
  }
  return
}

// CHECK-LABEL: func.func @eight(
// CHECK: tec.prefetch = array<i64: 0, 256>{{.*}} memref<128x256xbf16
func.func @eight(%x: memref<8x8192xbf16>, %w: memref<128x8192xbf16>, %y: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c8192 = arith.constant 8192 : index
  scf.for %k = %c0 to %c8192 step %c256 {
    %a = memref.subview %x[0, %k] [8, 256] [1, 1] : memref<8x8192xbf16> to memref<8x256xbf16, strided<[8192, 1], offset: ?>>
    %b = memref.subview %w[0, %k] [128, 256] [1, 1] : memref<128x8192xbf16> to memref<128x256xbf16, strided<[8192, 1], offset: ?>>
    linalg_ext.batch_matmul ins(%a, %b : memref<8x256xbf16, strided<[8192, 1], offset: ?>>, memref<128x256xbf16, strided<[8192, 1], offset: ?>>)
        outs(%y : memref<8x128xf32>) layout = "nt"
  }
  return
}
