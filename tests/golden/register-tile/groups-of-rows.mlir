// Rows of x W^T, of which pieces are read, meet each of them in groups that are nearly alike, where loads are to spare:
// each group, in registers, meets all pieces of the tile in turn. More rows have panels, and so have those elsewhere.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver5 --passes=register-tile,simplify | FileCheck %s --check-prefix=ELSEWHERE

// CHECK-LABEL: func.func @nine(
// CHECK-SAME: %[[X:.*]]: memref<9x256xf32>, %[[W:[^:]*]]: memref<48x256xf32
// CHECK-NOT: memref.alloca
// CHECK: vector.transfer_read %[[X]][%c0, %c0]{{.*}} vector<5x256xf32>
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c48 step %c1
// CHECK: vector.transfer_read %[[W]][%[[J]], %c0]{{.*}} vector<256xf32>
// CHECK: vector.contract {{.*}} : vector<5x256xf32>, vector<256xf32> into vector<5xf32>
// CHECK: vector.transfer_read %[[X]][%c5, %c0]{{.*}} vector<4x256xf32>
// CHECK-NEXT: scf.for {{.*}} = %c0 to %c48 step %c1
// CHECK: vector.contract {{.*}} : vector<4x256xf32>, vector<256xf32> into vector<4xf32>
// ELSEWHERE-LABEL: func.func @nine(
// ELSEWHERE: memref.alloca
func.func @nine(%x: memref<9x256xf32>, %w: memref<48x256xf32, strided<[4096, 1]>>, %y: memref<9x48xf32>) {
  linalg_ext.batch_matmul ins(%x, %w : memref<9x256xf32>, memref<48x256xf32, strided<[4096, 1]>>)
      outs(%y : memref<9x48xf32>) layout = "nt"
  return
}

// Pairs of few rows that a cache may hold meet two pieces at once.
// CHECK-LABEL: func.func @pairs(
// CHECK: vector.contract {{.*}} : vector<8x256xbf16>, vector<2x256xbf16> into vector<8x2xf32>
func.func @pairs(%x: memref<16x256xbf16>, %w: memref<48x256xbf16, strided<[4096, 1]>>, %y: memref<16x48xf32>) {
  linalg_ext.batch_matmul ins(%x, %w : memref<16x256xbf16>, memref<48x256xbf16, strided<[4096, 1]>>)
      outs(%y : memref<16x48xf32>) layout = "nt"
  return
}

// CHECK-LABEL: func.func @many(
// CHECK: memref.alloca
func.func @many(%x: memref<17x256xf32>, %w: memref<48x256xf32, strided<[4096, 1]>>, %y: memref<17x48xf32>) {
  linalg_ext.batch_matmul ins(%x, %w : memref<17x256xf32>, memref<48x256xf32, strided<[4096, 1]>>)
      outs(%y : memref<17x48xf32>) layout = "nt"
  return
}
