// Where the last cache is slow, rows meet the panels of all columns block by block: a block stays in the second cache,
// here of 96 rows of 512 terms, while panels come from the last one. As a tile begins, it asks for the next one's rows
// and for the result that this adds to. Where rows are copied as well, they come from panels of their own.
// RUN: tcc-attn opt %s --target=host:znver1 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver3 --passes=register-tile,simplify | FileCheck %s --check-prefix=COPIED
// RUN: tcc-attn opt %s --target=host:znver2 --passes=register-tile,simplify | FileCheck %s --check-prefix=NEAR

// CHECK-LABEL: func.func @blocks(
// CHECK: %[[PANELS:.*]] = memref.alloca() {{.*}} : memref<32x512x16xf32>
// CHECK: scf.for %[[BLOCK:.*]] = %c0{{.*}} to %c600{{.*}} step %c96
// CHECK: %[[END:.*]] = affine.min
// CHECK: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c512{{.*}} step %c16
// CHECK: %[[PANEL:.*]] = memref.subview %[[PANELS]]
// CHECK: scf.for %[[ROW:.*]] = %[[BLOCK]] to %[[END]] step %c6
// CHECK: vector_ext.prefetch %arg0[{{.*}}, %c0{{.*}}] {tec.near}
// CHECK: vector_ext.prefetch %arg2[{{.*}}, %[[COLUMN]]] {tec.near}
// CHECK: scf.for
// CHECK: vector.transfer_read %arg0[%[[ROW]],
// CHECK: vector.transfer_read %[[PANEL]][
// COPIED-LABEL: func.func @blocks(
// COPIED-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<100x512x6xf32>
// COPIED-DAG: %[[PANELS:.*]] = memref.alloca() {{.*}} : memref<32x512x16xf32>
// COPIED: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c512{{.*}} step %c16
// COPIED: %[[PANEL:.*]] = memref.subview %[[PANELS]]
// COPIED: scf.for %{{.*}} step %c6
// COPIED: %[[ROW:.*]] = memref.subview %[[ROWS]]
// COPIED-NOT: prefetch %arg0
// COPIED: vector_ext.prefetch %arg2[{{.*}}, %[[COLUMN]]] {tec.near}
// COPIED: scf.for
// COPIED: vector.transfer_read %[[ROW]][
// COPIED: vector.transfer_read %[[PANEL]][
// NEAR-LABEL: func.func @blocks(
// NEAR: memref.alloca() {{.*}} : memref<1x512x16xf32>
// NEAR-NOT: affine.min
// NEAR-LABEL: func.func @few_rows(
func.func @blocks(%x: memref<600x512xf32>, %w: memref<512x512xf32>, %y: memref<600x512xf32>) {
  linalg.matmul ins(%x, %w : memref<600x512xf32>, memref<512x512xf32>) outs(%y : memref<600x512xf32>)
  return
}

// Few rows, or panels that the second cache holds, are not worth it.
// CHECK-LABEL: func.func @few_rows(
// CHECK: memref.alloca() {{.*}} : memref<1x512x16xf32>
func.func @few_rows(%x: memref<96x512xf32>, %w: memref<512x512xf32>, %y: memref<96x512xf32>) {
  linalg.matmul ins(%x, %w : memref<96x512xf32>, memref<512x512xf32>) outs(%y : memref<96x512xf32>)
  return
}
// CHECK-LABEL: func.func @near(
// CHECK-NOT: affine.min
// CHECK: return
func.func @near(%x: memref<600x64xf32>, %w: memref<64x512xf32>, %y: memref<600x512xf32>) {
  linalg.matmul ins(%x, %w : memref<600x64xf32>, memref<64x512xf32>) outs(%y : memref<600x512xf32>)
  return
}
