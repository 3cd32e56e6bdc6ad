// Whole steps of a loop run in a loop of their own where a product in it can then take its terms in pairs; a part of a step
// is left. Not so for open lengths of f32, on machines without such instructions, or where the last step is not cut. Where
// the length is a number, so is what is left, and both loops know their sizes.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=version,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:x86-64-v4 --passes=version,simplify | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn opt %s --target=host:znver4 --passes=version,register-tile,simplify --verify
// OTHER-NOT: memref<16x64xbf16

#room = affine_map<(d0, d1) -> (64, d0 - d1)>
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[WHOLE:.*]] = affine.apply
// CHECK-NEXT: %[[END:.*]] = affine.min
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[END]] step %c64
// CHECK-NEXT: memref.subview %arg0{{.*}} to memref<16x64xbf16
// CHECK-NEXT: memref.subview %arg1{{.*}} to memref<64x32xbf16
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[K:.*]] = %[[WHOLE]] to %{{.*}} step %c64
// CHECK-NEXT: affine.min
func.func @narrow(%a: memref<16x?xbf16>, %b: memref<?x32xbf16>, %c: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %depth = memref.dim %a, %c1 : memref<16x?xbf16>
  scf.for %k = %c0 to %depth step %c64 {
    %size = affine.min #room(%depth, %k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x?xbf16> to memref<16x?xbf16, strided<[?, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<?x32xbf16> to memref<?x32xbf16, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xbf16, strided<[?, 1], offset: ?>>, memref<?x32xbf16, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}

// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @wide(%a: memref<16x?xf32>, %b: memref<?x32xf32>, %c: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %depth = memref.dim %a, %c1 : memref<16x?xf32>
  scf.for %k = %c0 to %depth step %c64 {
    %size = affine.min #room(%depth, %k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x?xf32> to memref<16x?xf32, strided<[?, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xf32, strided<[?, 1], offset: ?>>, memref<?x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}

// What is left of the depth is not what is left of the loop: the step ends elsewhere.
#twice = affine_map<(d0, d1) -> (64, d0 - d1 * 2)>
// CHECK-LABEL: func.func @other(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @other(%a: memref<16x?xbf16>, %b: memref<?x32xbf16>, %c: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %depth = memref.dim %a, %c1 : memref<16x?xbf16>
  scf.for %k = %c0 to %depth step %c64 {
    %size = affine.min #twice(%depth, %k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x?xbf16> to memref<16x?xbf16, strided<[?, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<?x32xbf16> to memref<?x32xbf16, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xbf16, strided<[?, 1], offset: ?>>, memref<?x32xbf16, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}

// One factor's type knows the number of terms, the other's does not: they are the same.
// CHECK-LABEL: func.func @mixed(
func.func @mixed(%a: memref<16x?xbf16>, %b: memref<64x32xbf16>, %c: memref<16x32xf32>) {
  linalg.matmul ins(%a, %b : memref<16x?xbf16>, memref<64x32xbf16>) outs(%c : memref<16x32xf32>)
  return
}

// CHECK-LABEL: func.func @ragged(
// CHECK: scf.for %{{.*}} = %c0 to %c448 step %c64
// CHECK-NEXT: memref.subview %arg0{{.*}} to memref<16x64xf32
// CHECK-NEXT: memref.subview %arg1{{.*}} to memref<64x32xf32
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: }
// CHECK-NEXT: memref.subview %arg0[0, %c448] {{.*}} to memref<16x52xf32
// CHECK-NEXT: memref.subview %arg1{{.*}} to memref<52x32xf32
// CHECK-NEXT: linalg.matmul
#room_of_500 = affine_map<(d0) -> (64, 500 - d0)>
func.func @ragged(%a: memref<16x500xf32>, %b: memref<500x32xf32>, %c: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c500 = arith.constant 500 : index
  scf.for %k = %c0 to %c500 step %c64 {
    %size = affine.min #room_of_500(%k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x500xf32> to memref<16x?xf32, strided<[500, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<500x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xf32, strided<[500, 1], offset: ?>>, memref<?x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}

// The loop ends before the length does, as where a mask hides the rest: only so many steps are done.
// CHECK-LABEL: func.func @trimmed(
// CHECK: %[[END:.*]] = affine.min #{{.*}}(%arg3)
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c64
// CHECK: memref<64x32xf32
// CHECK: scf.for %{{.*}} = %c448 to %arg3 step %c64
// CHECK: memref<52x32xf32
func.func @trimmed(%a: memref<16x500xf32>, %b: memref<500x32xf32>, %c: memref<16x32xf32>, %end: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %end step %c64 {
    %size = affine.min #room_of_500(%k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x500xf32> to memref<16x?xf32, strided<[500, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<500x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xf32, strided<[500, 1], offset: ?>>, memref<?x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}

// Where the loop begins is not known: neither is what is left.
// CHECK-LABEL: func.func @from(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @from(%a: memref<16x500xf32>, %b: memref<500x32xf32>, %c: memref<16x32xf32>, %start: index) {
  %c64 = arith.constant 64 : index
  %c500 = arith.constant 500 : index
  scf.for %k = %start to %c500 step %c64 {
    %size = affine.min #room_of_500(%k)
    %a_part = memref.subview %a[0, %k] [16, %size] [1, 1] : memref<16x500xf32> to memref<16x?xf32, strided<[500, 1], offset: ?>>
    %b_part = memref.subview %b[%k, 0] [%size, 32] [1, 1] : memref<500x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%a_part, %b_part : memref<16x?xf32, strided<[500, 1], offset: ?>>, memref<?x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<16x32xf32>)
  }
  return
}
