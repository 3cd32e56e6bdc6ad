// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:x86-64-v4 --passes=register-tile,simplify | FileCheck %s --check-prefix=PLAIN
// RUN: tcc-attn opt %s --target=host:cooperlake --passes=register-tile,simplify | FileCheck %s --check-prefix=PLAIN
// A machine that adds two products of bf16 at a time takes terms in pairs, which stand side by side in its panels. Terms
// that are contiguous in memory are transposed on the way, a pair at a time. Not so where that is slower than to multiply them in f32.
// PLAIN-NOT: vector.interleave {{.*}}bf16
// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[Q:.*]]: memref<64x48xbf16>, %[[K:.*]]: memref<40x48xbf16>
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<1x24x64xbf16>
// CHECK: %[[ROWS:.*]] = vector.transfer_read %[[K]]{{.*}} {in_bounds = [true, true]} {{.*}}, vector<16x32xbf16>
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[ROWS]] : vector<16x32xbf16> to vector<16x16xi32>
// CHECK: %[[TURNED:.*]] = vector.transpose %[[WORDS]], [1, 0]
// CHECK: %[[TERMS:.*]] = vector.bitcast %[[TURNED]] : vector<16x16xi32> to vector<16x32xbf16>
// CHECK: %[[PAIRS:.*]] = vector.extract %[[TERMS]][0]
// CHECK: vector.store %[[PAIRS]], %[[PANEL]]
// CHECK: scf.for %{{.*}} step %c8
// CHECK: scf.for {{.*}} step %c2 iter_args
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[PANEL]]{{.*}} vector<64xbf16>
// CHECK: %[[B:.*]] = vector.shape_cast %[[ROW]] : vector<64xbf16> to vector<32x2xbf16>
// CHECK: %[[A:.*]] = vector.transfer_read %[[Q]]{{.*}} vector<8x2xbf16>
// CHECK: vector.contract {{.*}} %[[A]], %[[B]], %{{.*}} : vector<8x2xbf16>, vector<32x2xbf16> into vector<8x32xf32>
// Beyond the last whole tile, a narrower one.
// CHECK: vector.contract {{.*}} vector<8x2xbf16>, vector<8x2xbf16> into vector<8x8xf32>
func.func @scores(%q: memref<64x48xbf16>, %k: memref<40x48xbf16>, %s: memref<64x40xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<64x48xbf16>, memref<40x48xbf16>) outs(%s : memref<64x40xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @values(
// CHECK: %[[TERMS:.*]] = vector.transfer_read %{{.*}} vector<2x32xbf16>
// CHECK-DAG: %[[EVEN:.*]] = vector.extract %[[TERMS]][0]
// CHECK-DAG: %[[ODD:.*]] = vector.extract %[[TERMS]][1]
// CHECK: vector.interleave %[[EVEN]], %[[ODD]] : vector<32xbf16> -> vector<64xbf16>
// CHECK: vector.contract {{.*}} vector<8x2xbf16>, vector<32x2xbf16> into vector<8x32xf32>
func.func @values(%p: memref<64x64xbf16>, %v: memref<64x32xbf16>, %o: memref<64x32xf32>) {
  linalg.matmul ins(%p, %v : memref<64x64xbf16>, memref<64x32xbf16>) outs(%o : memref<64x32xf32>)
  return
}
// The last one of an odd number of terms is read in place, and widened.
// CHECK-LABEL: func.func @odd(
// CHECK-SAME: %[[P:.*]]: memref<64x33xbf16>, %[[V:.*]]: memref<33x32xbf16>
// CHECK: memref.alloca() {{.*}} : memref<1x16x64xbf16>
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c2
// CHECK: vector.contract {{.*}} vector<8x2xbf16>, vector<32x2xbf16> into vector<8x32xf32>
// CHECK: vector.transfer_read %[[P]][%{{.*}}, %c32]{{.*}} vector<8x1xbf16>
// CHECK: vector.transfer_read %[[V]][%c32, %{{.*}}]{{.*}} vector<1x32xbf16>
// CHECK: vector.contract {{.*}} vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
func.func @odd(%p: memref<64x33xbf16>, %v: memref<33x32xbf16>, %o: memref<64x32xf32>) {
  linalg.matmul ins(%p, %v : memref<64x33xbf16>, memref<33x32xbf16>) outs(%o : memref<64x32xf32>)
  return
}
// A factor of f32 and too few rows go without.
// CHECK-LABEL: func.func @without(
// CHECK-NOT: vector.interleave
func.func @without(%d: memref<32x32xf32>, %e: memref<32x32xbf16>, %f: memref<3x32xbf16>, %g: memref<3x32xf32>) {
  linalg.matmul ins(%d, %e : memref<32x32xf32>, memref<32x32xbf16>) outs(%d : memref<32x32xf32>)
  linalg.matmul ins(%f, %e : memref<3x32xbf16>, memref<32x32xbf16>) outs(%g : memref<3x32xf32>)
  return
}
