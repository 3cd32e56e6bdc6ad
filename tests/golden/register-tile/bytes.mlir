// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver3 --passes=register-tile,simplify | FileCheck %s --check-prefix=I16
// RUN: tcc-attn opt %s --target=host:neoverse-n1 --passes=register-tile,simplify | FileCheck %s --check-prefix=PLAIN
// A machine that adds four products of i8 at a time takes terms in fours, which stand side by side in its panels. One
// factor of each product is unsigned there: that of the rows is 128 more than it is, and sums begin with as much less.
// Other x86 machines add two products of i16: panels, and a copy of the rows, are as wide.
// PLAIN-NOT: arith.extui
// PLAIN-NOT: vector.interleave
// PLAIN-NOT: memref<{{.*}}xi16>
// I16-LABEL: func.func @scores(
// I16: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<64x48xi16>
// I16: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<1x24x32xi16>
// I16: %[[BYTES:.*]] = vector.transfer_read %{{.*}} vector<8x16xi8>
// I16: %[[COLUMNS:.*]] = arith.extsi %[[BYTES]] : vector<8x16xi8> to vector<8x16xi16>
// I16: vector.bitcast %[[COLUMNS]] : vector<8x16xi16> to vector<8x8xi32>
// I16-NOT: arith.subi
// I16: scf.for {{.*}} step %c2 iter_args
// I16: %[[ROW:.*]] = vector.transfer_read %[[PANEL]]{{.*}} vector<32xi16>
// I16: %[[LANES:.*]] = vector.shape_cast %[[ROW]] : vector<32xi16> to vector<16x2xi16>
// I16: vector.transfer_read %[[ROWS]]{{.*}} vector<6x2xi16>
// I16: vector.contract {{.*}} : vector<6x2xi32>, vector<16x2xi32> into vector<6x16xi32>
// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[Q:.*]]: memref<64x48xi8>, %[[K:.*]]: memref<40x48xi8>
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<1x12x128xi8>
// CHECK: %[[COLUMNS:.*]] = vector.transfer_read %[[K]]{{.*}} {in_bounds = [true, true]} {{.*}}, vector<16x32xi8>
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[COLUMNS]] : vector<16x32xi8> to vector<16x8xi32>
// CHECK: %[[TURNED:.*]] = vector.transpose %[[WORDS]], [1, 0]
// CHECK: %[[TERMS:.*]] = vector.bitcast %[[TURNED]] : vector<8x16xi32> to vector<8x64xi8>
// CHECK: %[[FOURS:.*]] = vector.extract %[[TERMS]][0]
// CHECK: vector.store %[[FOURS]], %[[PANEL]]
// CHECK: %[[EXCESS:.*]] = scf.for {{.*}} to %c12 step %c1 iter_args
// CHECK: vector.contract {{.*}} : vector<4xi32>, vector<32x4xi32> into vector<32xi32>
// CHECK: %[[EACH:.*]] = vector.broadcast %[[EXCESS]] : vector<32xi32> to vector<8x32xi32>
// CHECK: scf.for %{{.*}} step %c8
// CHECK: %[[OLD:.*]] = vector.transfer_read {{.*}} vector<8x32xi32>
// CHECK: %[[BEGIN:.*]] = arith.subi %[[OLD]], %[[EACH]]
// CHECK: scf.for {{.*}} step %c4 iter_args(%{{.*}} = %[[BEGIN]])
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[PANEL]]{{.*}} vector<128xi8>
// CHECK: %[[LANES:.*]] = vector.shape_cast %[[ROW]] : vector<128xi8> to vector<32x4xi8>
// CHECK: %[[ROWS:.*]] = vector.transfer_read %[[Q]]{{.*}} vector<8x4xi8>
// CHECK-DAG: %[[B:.*]] = arith.extsi %[[LANES]]
// CHECK-DAG: %[[MORE:.*]] = arith.xori %[[ROWS]], %{{.*}} : vector<8x4xi8>
// CHECK: %[[A:.*]] = arith.extui %[[MORE]]
// CHECK: vector.contract {{.*}} %[[A]], %[[B]], %{{.*}} : vector<8x4xi32>, vector<32x4xi32> into vector<8x32xi32>
func.func @scores(%q: memref<64x48xi8>, %k: memref<40x48xi8>, %s: memref<64x40xi32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<64x48xi8>, memref<40x48xi8>) outs(%s : memref<64x40xi32>) layout = "nt"
  return
}
// Where columns are contiguous, four rows of terms are interleaved.
// CHECK-LABEL: func.func @values(
// CHECK: %[[TERMS:.*]] = vector.transfer_read %{{.*}} vector<4x32xi8>
// CHECK-DAG: %[[T0:.*]] = vector.extract %[[TERMS]][0]
// CHECK-DAG: %[[T1:.*]] = vector.extract %[[TERMS]][1]
// CHECK-DAG: %[[T2:.*]] = vector.extract %[[TERMS]][2]
// CHECK-DAG: %[[T3:.*]] = vector.extract %[[TERMS]][3]
// CHECK-DAG: %[[EVEN:.*]] = vector.interleave %[[T0]], %[[T2]]
// CHECK-DAG: %[[ODD:.*]] = vector.interleave %[[T1]], %[[T3]]
// CHECK: vector.interleave %[[EVEN]], %[[ODD]] : vector<64xi8> -> vector<128xi8>
// CHECK: vector.contract {{.*}} : vector<8x4xi32>, vector<32x4xi32> into vector<8x32xi32>
func.func @values(%p: memref<64x64xi8>, %v: memref<64x32xi8>, %o: memref<64x32xi32>) {
  linalg.matmul ins(%p, %v : memref<64x64xi8>, memref<64x32xi8>) outs(%o : memref<64x32xi32>)
  return
}
// A number of terms that is no multiple of four, one row of many terms and wider sums go without.
// CHECK-LABEL: func.func @without(
// CHECK-NOT: arith.extui
// CHECK: return
func.func @without(%a: memref<32x30xi8>, %b: memref<30x32xi8>, %c: memref<32x32xi32>, %d: memref<1x96xi8>,
                   %e: memref<32x32xi8>, %f: memref<1x32xi32>, %g: memref<32x32xi64>, %h: memref<96x32xi8>) {
  linalg.matmul ins(%a, %b : memref<32x30xi8>, memref<30x32xi8>) outs(%c : memref<32x32xi32>)
  linalg.matmul ins(%d, %h : memref<1x96xi8>, memref<96x32xi8>) outs(%f : memref<1x32xi32>)
  linalg.matmul ins(%e, %e : memref<32x32xi8>, memref<32x32xi8>) outs(%g : memref<32x32xi64>)
  return
}
