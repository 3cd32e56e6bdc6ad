// RUN: tcc-attn opt %s --target=host:x86-64-v4 --passes=register-tile,simplify | FileCheck %s
// Factors are widened and packed where extents are open, if they are bounded. Rows that are left over are taken by four, then the rest at once.
// CHECK-LABEL: func.func @open(
// CHECK-DAG: memref.alloca() {{.*}} : memref<2x64x32xf32>
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<64x64xf32>
// CHECK: memref.subview %[[ROWS]][0, 0]
// CHECK: vector<8x1xf32>
// CHECK: vector.contract
// CHECK: vector<4x1xf32>
// CHECK: vector.contract
// CHECK: vector<3x1xf32>
// CHECK: vector.contract
// CHECK: vector<2x1xf32>
// CHECK: vector.contract
// CHECK: vector<1x1xf32>
// CHECK: vector.contract
func.func @open(%a: memref<?x64xbf16>, %b: memref<64x64xbf16>, %c: memref<?x64xf32>, %end: index) {
  %rows = affine.min affine_map<(d0) -> (64, d0)>(%end)
  %a_tile = memref.subview %a[0, 0] [%rows, 64] [1, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1]>>
  %c_tile = memref.subview %c[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  linalg.matmul ins(%a_tile, %b : memref<?x64xbf16, strided<[64, 1]>>, memref<64x64xbf16>)
      outs(%c_tile : memref<?x64xf32, strided<[64, 1]>>)
  return
}

// Few rows read the other factor in place, in as wide a tile as leaves registers for all the sums. Where tiles are
// small already, each number that may be left is a tile of its own.
// CHECK-LABEL: func.func @few(
// CHECK: arith.cmpi eq, %[[LEFT:.*]], %c2
// CHECK: arith.cmpi eq, %[[LEFT]], %c1
// CHECK: vector<6x64xf32>
// CHECK: vector<3x64xf32>
// CHECK: vector<2x64xf32>
// CHECK: vector<1x64xf32>
func.func @few(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>, %end: index) {
  %rows = affine.min affine_map<(d0) -> (7, d0)>(%end)
  %a_tile = memref.subview %a[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  %c_tile = memref.subview %c[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  linalg.matmul ins(%a_tile, %b : memref<?x64xf32, strided<[64, 1]>>, memref<64x64xf32>)
      outs(%c_tile : memref<?x64xf32, strided<[64, 1]>>)
  return
}
