// Where a panel of all terms is half of the second-level cache and the last one is near, each line of terms asks for
// the same line of the next tile's rows, in parts of 256 terms and in what is left of them, but where no full tile
// is: the last four rows. Shorter panels leave room for the rows, which come from nearer then.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver5 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver4 --verify | FileCheck %s --check-prefix=FAR
// FAR-NOT: vector_ext.prefetch

// CHECK-LABEL: func.func @long(
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c6
// CHECK: scf.for %{{.*}} = %{{.*}} to %c1536{{.*}} step %c256
// CHECK: scf.for %[[TERM:.*]] = %{{.*}} step %c16
// CHECK: %[[NEXT:.*]] = affine.apply {{.*}}(%[[ROW]])
// CHECK: vector_ext.prefetch %arg0[%[[NEXT]], %[[TERM]]]
// CHECK-COUNT-5: vector_ext.prefetch %arg0
// CHECK-NOT: vector_ext.prefetch
// CHECK: scf.for
// CHECK: vector.contract
// CHECK: scf.for %[[TERM:.*]] = %c1536{{.*}} to %c1616{{.*}} step %c16
// CHECK-COUNT-6: vector_ext.prefetch %arg0[%{{.*}}, %[[TERM]]]
// CHECK: scf.for %{{.*}} = %c1616{{.*}} to %c1620
// CHECK-NOT: vector_ext.prefetch
// CHECK: return
func.func @long(%a: memref<262x1620xf32>, %columns: memref<1620x640xf32>, %c: memref<262x64xf32>) {
  %b = memref.subview %columns[0, 64] [1620, 64] [1, 1]
      : memref<1620x640xf32> to memref<1620x64xf32, strided<[640, 1], offset: 64>>
  linalg.matmul ins(%a, %b : memref<262x1620xf32>, memref<1620x64xf32, strided<[640, 1], offset: 64>>)
      outs(%c : memref<262x64xf32>)
  return
}

// CHECK-LABEL: func.func @short(
// CHECK-NOT: vector_ext.prefetch
// CHECK: return
func.func @short(%a: memref<262x512xf32>, %columns: memref<512x640xf32>, %c: memref<262x64xf32>) {
  %b = memref.subview %columns[0, 64] [512, 64] [1, 1]
      : memref<512x640xf32> to memref<512x64xf32, strided<[640, 1], offset: 64>>
  linalg.matmul ins(%a, %b : memref<262x512xf32>, memref<512x64xf32, strided<[640, 1], offset: 64>>)
      outs(%c : memref<262x64xf32>)
  return
}
