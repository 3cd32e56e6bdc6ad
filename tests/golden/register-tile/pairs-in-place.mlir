// RUN: tcc-attn opt %s --target=host:znver5 --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=PAIRS
// Rows that are one tile put terms in pairs that they read in place, without a panel, where memory is near.
// PAIRS-LABEL: func.func @values(
// PAIRS: vector.contract {{.*}} vector<8x2xbf16>, vector<32x2xbf16> into vector<8x32xf32>
// CHECK-LABEL: func.func @values(
// CHECK-SAME: %{{.*}}: memref<8x32xbf16>, %[[V:.*]]: memref<32x64xbf16>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[LANE:.*]] = %c0 to %c64 step %c32
// CHECK: scf.for %[[TERM:.*]] = %c0 to %c32 step %c2 iter_args
// CHECK: %[[TERMS:.*]] = vector.transfer_read %[[V]][%[[TERM]], %[[LANE]]]{{.*}} vector<2x32xbf16>
// CHECK-DAG: %[[EVEN:.*]] = vector.extract %[[TERMS]][0]
// CHECK-DAG: %[[ODD:.*]] = vector.extract %[[TERMS]][1]
// CHECK: %[[ROW:.*]] = vector.interleave %[[EVEN]], %[[ODD]] : vector<32xbf16> -> vector<64xbf16>
// CHECK: %[[B:.*]] = vector.shape_cast %[[ROW]] : vector<64xbf16> to vector<32x2xbf16>
// CHECK: vector.contract {{.*}} %{{.*}}, %[[B]], %{{.*}} : vector<8x2xbf16>, vector<32x2xbf16> into vector<8x32xf32>
func.func @values(%p: memref<8x32xbf16>, %v: memref<32x64xbf16>, %o: memref<8x64xf32>) {
  linalg.matmul ins(%p, %v : memref<8x32xbf16>, memref<32x64xbf16>) outs(%o : memref<8x64xf32>)
  return
}
// So do twelve, which fill the registers; without pairs, as in f16, all rows are one tile as well. Lanes are narrow for
// their sake, but not where they would read a small part of each row.
// CHECK-LABEL: func.func @twelve(
// CHECK: vector.contract {{.*}} vector<12x2xbf16>, vector<32x2xbf16> into vector<12x32xf32>
// CHECK: vector.contract {{.*}} into vector<8x32xf32>
// CHECK: vector.contract {{.*}} into vector<4x64xf32>
func.func @twelve(%p: memref<12x32xbf16>, %v: memref<32x64xbf16>, %o: memref<12x64xf32>, %a: memref<8x32xf16>,
                  %b: memref<32x64xf16>, %c: memref<8x64xf32>, %d: memref<32x256xf16>, %e: memref<8x256xf32>) {
  linalg.matmul ins(%p, %v : memref<12x32xbf16>, memref<32x64xbf16>) outs(%o : memref<12x64xf32>)
  linalg.matmul ins(%a, %b : memref<8x32xf16>, memref<32x64xf16>) outs(%c : memref<8x64xf32>)
  linalg.matmul ins(%a, %d : memref<8x32xf16>, memref<32x256xf16>) outs(%e : memref<8x256xf32>)
  return
}
// Fewer rows, rows that are more than one tile, and terms a page apart go without.
// CHECK-LABEL: func.func @without(
// CHECK-NOT: vector.interleave
func.func @without(%a: memref<6x32xbf16>, %b: memref<32x64xbf16>, %c: memref<6x64xf32>, %d: memref<8x32xbf16>,
                   %e: memref<32x256xbf16>, %f: memref<8x256xf32>, %i: memref<8x64xf32>, %j: memref<32x64xbf16, strided<[4096, 1]>>) {
  linalg.matmul ins(%a, %b : memref<6x32xbf16>, memref<32x64xbf16>) outs(%c : memref<6x64xf32>)
  linalg.matmul ins(%d, %e : memref<8x32xbf16>, memref<32x256xbf16>) outs(%f : memref<8x256xf32>)
  linalg.matmul ins(%d, %j : memref<8x32xbf16>, memref<32x64xbf16, strided<[4096, 1]>>) outs(%i : memref<8x64xf32>)
  return
}
// Open rows, few as they are, go in pairs in each of several tiles. Of an open number of terms a last one may be left
// over: it is widened, by itself.
// CHECK-LABEL: func.func @open(
// CHECK: %[[EVEN:.*]] = affine.apply
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c2 {{.*}} (vector<4x64xf32>)
// CHECK: vector.contract {{.*}} vector<4x2xbf16>, vector<64x2xbf16> into vector<4x64xf32>
// CHECK: scf.for %{{.*}} step %c1 {{.*}} (vector<4x64xf32>)
// CHECK: vector.contract {{.*}} vector<4x1xf32>, vector<1x64xf32> into vector<4x64xf32>
// CHECK: vector.contract {{.*}} vector<3x2xbf16>, vector<64x2xbf16> into vector<3x64xf32>
// CHECK: vector.contract {{.*}} vector<3x1xf32>, vector<1x64xf32> into vector<3x64xf32>
func.func @open(%count: index, %terms: index, %p: memref<12x128xbf16>, %v: memref<?x64xbf16>, %o: memref<12x64xf32>) {
  %rows = affine.min affine_map<(d0) -> (d0, 12)>(%count)
  %keys = affine.min affine_map<(d0) -> (d0, 128)>(%terms)
  %x = memref.subview %p[0, 0] [%rows, %keys] [1, 1] : memref<12x128xbf16> to memref<?x?xbf16, strided<[128, 1]>>
  %y = memref.subview %v[0, 0] [%keys, 64] [1, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1]>>
  %z = memref.subview %o[0, 0] [%rows, 64] [1, 1] : memref<12x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  linalg.matmul ins(%x, %y : memref<?x?xbf16, strided<[128, 1]>>, memref<?x64xbf16, strided<[64, 1]>>)
      outs(%z : memref<?x64xf32, strided<[64, 1]>>)
  return
}
// One pipe multiplies terms of four rows in pairs, where two pipes wait for memory; three rows go without on both.
// CHECK-LABEL: func.func @four(
// CHECK-NOT: vector.interleave
// PAIRS-LABEL: func.func @four(
// PAIRS: vector.contract {{.*}} vector<4x2xbf16>
// PAIRS-NOT: vector.interleave
// PAIRS: return
func.func @four(%a: memref<4x32xbf16>, %b: memref<32x64xbf16>, %c: memref<4x64xf32>, %d: memref<3x32xbf16>,
                 %e: memref<3x64xf32>) {
  linalg.matmul ins(%a, %b : memref<4x32xbf16>, memref<32x64xbf16>) outs(%c : memref<4x64xf32>)
  linalg.matmul ins(%d, %b : memref<3x32xbf16>, memref<32x64xbf16>) outs(%e : memref<3x64xf32>)
  return
}
