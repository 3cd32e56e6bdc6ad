// Few rows by whole rows of the other factor: all rows meet each of those at once, with as many sums as a register has
// lanes. So memory is read in its order, each element once. Elsewhere rows take turns, or read a panel.
// RUN: tcc-attn opt %s --target=host:znver5 --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=TURNS
// RUN: tcc-attn compile %s --target=host:znver5 --emit=asm -o - | FileCheck %s --check-prefix=ASM

// CHECK-LABEL: func.func @four(
// CHECK-SAME: %[[Q:.*]]: memref<4x64xf16>, %[[K:.*]]: memref<48x64xf16>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c48 step %c4
// CHECK-DAG: %[[X:.*]] = vector.transfer_read %[[Q]]{{.*}} vector<4x64xf16>
// CHECK-DAG: %[[Y:.*]] = vector.transfer_read %[[K]][%[[J]], %c0]{{.*}} vector<4x64xf16>
// CHECK: vector.contract {{.*}} %[[X]], %[[Y]], %{{.*}} : vector<4x64xf16>, vector<4x64xf16> into vector<4x4xf32>
// TURNS-LABEL: func.func @four(
// TURNS: memref.alloca
// ASM-LABEL: four:
// ASM-COUNT-16: vcvtph2ps
// ASM-COUNT-64: vfmadd
func.func @four(%q: memref<4x64xf16>, %k: memref<48x64xf16>, %s: memref<4x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<4x64xf16>, memref<48x64xf16>) outs(%s : memref<4x48xf32>) layout = "nt"
  return
}

// Sums of five rows by two others, in pairs of terms; then of the one that is left over.
// CHECK-LABEL: func.func @five(
// CHECK: vector.contract {{.*}} : vector<5x64xbf16>, vector<2x64xbf16> into vector<5x2xf32>
// CHECK: vector.contract {{.*}} : vector<5x64xbf16>, vector<1x64xbf16> into vector<5x1xf32>
// ASM-LABEL: five:
// ASM: vdpbf16ps
func.func @five(%q: memref<5x64xbf16>, %k: memref<49x64xbf16>, %s: memref<5x49xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<5x64xbf16>, memref<49x64xbf16>) outs(%s : memref<5x49xf32>) layout = "nt"
  return
}

// Not so more rows, rows that end within a register, and those that registers do not hold.
// CHECK-LABEL: func.func @nine(
// CHECK-NOT: vector<9x64xf16>
// CHECK: return
func.func @nine(%q: memref<9x64xf16>, %k: memref<48x64xf16>, %s: memref<9x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<9x64xf16>, memref<48x64xf16>) outs(%s : memref<9x48xf32>) layout = "nt"
  return
}

// CHECK-LABEL: func.func @ragged(
// CHECK-NOT: vector<4x72xf16>
// CHECK: return
func.func @ragged(%q: memref<4x72xf16>, %k: memref<48x72xf16>, %s: memref<4x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<4x72xf16>, memref<48x72xf16>) outs(%s : memref<4x48xf32>) layout = "nt"
  return
}

// CHECK-LABEL: func.func @long(
// CHECK-NOT: vector<4x512xf32>
// CHECK: return
func.func @long(%q: memref<4x512xf32>, %k: memref<48x512xf32>, %s: memref<4x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<4x512xf32>, memref<48x512xf32>) outs(%s : memref<4x48xf32>) layout = "nt"
  return
}
