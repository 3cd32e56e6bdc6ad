// Rounding errors of a sum grow with the number of its terms, so long sums of products are made of sums of 256 terms.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s

// CHECK-LABEL: func.func @long(
// CHECK-DAG: %[[PART:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[WHOLE:.*]] = arith.constant 512 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 600 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.{{0*}}e+00> : vector<
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[WHOLE]] step %[[PART]] iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END]] step
func.func @long(%a: memref<8x600xf32>, %b: memref<600x32xf32>, %c: memref<8x32xf32>) {
  linalg.matmul ins(%a, %b : memref<8x600xf32>, memref<600x32xf32>) outs(%c : memref<8x32xf32>)
  return
}

// CHECK-LABEL: func.func @short(
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.addf
// CHECK: return
func.func @short(%a: memref<8x500xf32>, %b: memref<500x32xf32>, %c: memref<8x32xf32>) {
  linalg.matmul ins(%a, %b : memref<8x500xf32>, memref<500x32xf32>) outs(%c : memref<8x32xf32>)
  return
}

// No rounding.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT: step %c256
// CHECK: return
func.func @integers(%a: memref<8x600xi32>, %b: memref<600x32xi32>, %c: memref<8x32xi32>) {
  linalg.matmul ins(%a, %b : memref<8x600xi32>, memref<600x32xi32>) outs(%c : memref<8x32xi32>)
  return
}
