// Where all rows are more than half of the second-level cache and the last one is near, each line of terms asks for
// the same line of the next tile's rows, in parts of 256 terms and in what is left of them, but where no full tile
// is: the last four rows. Fewer rows, or terms, come from nearer. A result that is added to is asked for as well, to be
// in the first cache: a line with each line of terms, or three where these are few.
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
// CHECK: vector_ext.prefetch %arg2[%{{.*}}, %{{.*}}] {tec.near}
// CHECK-NOT: vector_ext.prefetch
// CHECK: scf.for
// CHECK: vector.contract
// CHECK: scf.for %[[TERM:.*]] = %c1536{{.*}} to %c1616{{.*}} step %c16
// CHECK-COUNT-6: vector_ext.prefetch %arg0[%{{.*}}, %[[TERM]]]
// CHECK: vector_ext.prefetch %arg2
// CHECK-NOT: vector_ext.prefetch
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
func.func @short(%a: memref<262x500xf32>, %columns: memref<500x640xf32>, %c: memref<262x64xf32>) {
  %b = memref.subview %columns[0, 64] [500, 64] [1, 1]
      : memref<500x640xf32> to memref<500x64xf32, strided<[640, 1], offset: 64>>
  linalg.matmul ins(%a, %b : memref<262x500xf32>, memref<500x64xf32, strided<[640, 1], offset: 64>>)
      outs(%c : memref<262x64xf32>)
  return
}

// CHECK-LABEL: func.func @added(
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c6
// CHECK: scf.for %[[TERM:.*]] = %{{.*}} step %c16
// CHECK-COUNT-6: vector_ext.prefetch %arg0[%{{.*}}, %[[TERM]]] : memref
// CHECK: vector_ext.prefetch %arg2[%{{.*}}, %{{.*}}] {tec.near} : memref
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.contract
// CHECK: return
func.func @added(%a: memref<300x512xf32>, %columns: memref<512x640xf32>, %c: memref<300x64xf32>) {
  %b = memref.subview %columns[0, 64] [512, 64] [1, 1]
      : memref<512x640xf32> to memref<512x64xf32, strided<[640, 1], offset: 64>>
  linalg.matmul ins(%a, %b : memref<300x512xf32>, memref<512x64xf32, strided<[640, 1], offset: 64>>)
      outs(%c : memref<300x64xf32>)
  return
}

// CHECK-LABEL: func.func @few_terms(
// CHECK: scf.for %[[TERM:.*]] = %{{.*}} step %c16
// CHECK-COUNT-6: vector_ext.prefetch %arg0[%{{.*}}, %[[TERM]]] : memref
// CHECK-COUNT-3: vector_ext.prefetch %arg2[%{{.*}}, %{{.*}}] {tec.near} : memref
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.contract
// CHECK: return
func.func @few_terms(%a: memref<1200x128xf32>, %columns: memref<128x640xf32>, %c: memref<1200x64xf32>) {
  %b = memref.subview %columns[0, 64] [128, 64] [1, 1]
      : memref<128x640xf32> to memref<128x64xf32, strided<[640, 1], offset: 64>>
  linalg.matmul ins(%a, %b : memref<1200x128xf32>, memref<128x64xf32, strided<[640, 1], offset: 64>>)
      outs(%c : memref<1200x64xf32>)
  return
}
