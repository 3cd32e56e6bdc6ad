// Where the last cache is not near, rows of a product meet the panels of all columns in turn, which the second-level
// cache holds: each tile of six rows reads its own from the last cache once. It asks there for the next rows and
// their results, a line of each with every 16 terms, and, line by line, for the next panels.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver4 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver5 | FileCheck %s --check-prefix=NEAR

// CHECK-LABEL: func.func @product(
// CHECK: memref.alloca() {{.*}} : memref<2x256x64xf32>
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} step %c6
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %c128{{.*}} step %c64
// CHECK: vector_ext.prefetch %{{.*}} : memref<1024x256xf32,
// CHECK: vector_ext.prefetch %{{.*}} {tec.near} : memref<1024x128xf32,
// CHECK: vector_ext.prefetch %{{.*}} : memref<256x128xf32,
// CHECK: vector.contract {{.*}} into vector<6x64xf32>
// CHECK: vector.transfer_write %{{.*}}[%[[ROW]], %[[COLUMN]]]

// NEAR-LABEL: func.func @product(
// NEAR: scf.for %{{.*}} to %c128{{.*}} step %c64
// NEAR: scf.for %{{.*}} step %c6
// NEAR: vector.contract
func.func @product(%a: memref<1024x512xf32>, %b: memref<512x1024xf32>, %c: memref<1024x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %columns = memref.subview %c[0, 0] [1024, 128] [1, 1] : memref<1024x1024xf32> to memref<1024x128xf32, strided<[1024, 1]>>
  scf.for %k = %c0 to %c512 step %c256 {
    %rows = memref.subview %a[0, %k] [1024, 256] [1, 1] : memref<1024x512xf32> to memref<1024x256xf32, strided<[512, 1], offset: ?>>
    %terms = memref.subview %b[%k, 0] [256, 128] [1, 1] : memref<512x1024xf32> to memref<256x128xf32, strided<[1024, 1], offset: ?>>
    linalg.matmul ins(%rows, %terms : memref<1024x256xf32, strided<[512, 1], offset: ?>>, memref<256x128xf32, strided<[1024, 1], offset: ?>>)
      outs(%columns : memref<1024x128xf32, strided<[1024, 1]>>)
  }
  return
}
