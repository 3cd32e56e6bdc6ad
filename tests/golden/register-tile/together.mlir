// Few rows by whole rows of the other factor: all rows meet each of those at once, with as many sums as a register has
// lanes. So memory is read in its order, each element once. Elsewhere rows take turns, or read a panel.
// RUN: tcc-attn opt %s --target=host:znver5 --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:emeraldrapids --passes=register-tile,simplify | FileCheck %s --check-prefix=TURNS
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=FEW
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

// Of short rows, three meet four others, in pairs of terms; then the other two. Few that are left over are shared out.
// CHECK-LABEL: func.func @five(
// CHECK: vector.contract {{.*}} : vector<3x64xbf16>, vector<4x64xbf16> into vector<3x4xf32>
// CHECK: vector.contract {{.*}} : vector<2x64xbf16>, vector<4x64xbf16> into vector<2x4xf32>
// CHECK: vector.contract {{.*}} : vector<3x64xbf16>, vector<3x64xbf16> into vector<3x3xf32>
// ASM-LABEL: five:
// ASM: vdpbf16ps
func.func @five(%q: memref<5x64xbf16>, %k: memref<49x64xbf16>, %s: memref<5x49xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<5x64xbf16>, memref<49x64xbf16>) outs(%s : memref<5x49xf32>) layout = "nt"
  return
}

// Of long rows, five meet two at once.
// CHECK-LABEL: func.func @wide(
// CHECK: vector.contract {{.*}} : vector<5x128xf16>, vector<2x128xf16> into vector<5x2xf32>
func.func @wide(%q: memref<5x128xf16>, %k: memref<48x128xf16>, %s: memref<5x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<5x128xf16>, memref<48x128xf16>) outs(%s : memref<5x48xf32>) layout = "nt"
  return
}

// Two meet short rows together where one pipe multiplies, and ask for nothing; six ask.
// FEW-LABEL: func.func @two(
// FEW-NOT: prefetch
// FEW: vector.contract {{.*}} : vector<2x128xf32>, vector<128xf32> into vector<2xf32>
// FEW-NOT: prefetch
// FEW: return
func.func @two(%q: memref<2x128xf32>, %keys: memref<4096x128xf32>, %s: memref<2x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c64 {
    %k = memref.subview %keys[%j, 0] [64, 128] [1, 1] : memref<4096x128xf32> to memref<64x128xf32, strided<[128, 1], offset: ?>>
    %x = memref.subview %s[0, %j] [2, 64] [1, 1] : memref<2x4096xf32> to memref<2x64xf32, strided<[4096, 1], offset: ?>>
    linalg_ext.batch_matmul ins(%q, %k : memref<2x128xf32>, memref<64x128xf32, strided<[128, 1], offset: ?>>)
        outs(%x : memref<2x64xf32, strided<[4096, 1], offset: ?>>) layout = "nt"
  }
  return
}

// FEW-LABEL: func.func @six(
// FEW: tec.prefetch
// FEW: vector.contract {{.*}} : vector<6x128xf32>, vector<128xf32> into vector<6xf32>
func.func @six(%q: memref<6x128xf32>, %keys: memref<4096x128xf32>, %s: memref<6x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c64 {
    %k = memref.subview %keys[%j, 0] [64, 128] [1, 1] : memref<4096x128xf32> to memref<64x128xf32, strided<[128, 1], offset: ?>>
    %x = memref.subview %s[0, %j] [6, 64] [1, 1] : memref<6x4096xf32> to memref<6x64xf32, strided<[4096, 1], offset: ?>>
    linalg_ext.batch_matmul ins(%q, %k : memref<6x128xf32>, memref<64x128xf32, strided<[128, 1], offset: ?>>)
        outs(%x : memref<6x64xf32, strided<[4096, 1], offset: ?>>) layout = "nt"
  }
  return
}

// Of so long rows that all meet one at a time, they are read once, before the loop.
// FEW-LABEL: func.func @kept(
// FEW: vector.contract {{.*}} : vector<7x128xf32>, vector<128xf32> into vector<7xf32>
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[Q:.*]]: memref<7x128xf32>, %[[K:.*]]: memref<48x128xf32>
// CHECK: %[[X:.*]] = vector.transfer_read %[[Q]]{{.*}} vector<7x128xf32>
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %c48 step %c1
// CHECK: %[[Y:.*]] = vector.transfer_read %[[K]][%[[J]], %c0]{{.*}} vector<128xf32>
// CHECK-NEXT: vector.contract {{.*}} %[[X]], %[[Y]], %{{.*}} : vector<7x128xf32>, vector<128xf32> into vector<7xf32>
func.func @kept(%q: memref<7x128xf32>, %k: memref<48x128xf32>, %s: memref<7x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<7x128xf32>, memref<48x128xf32>) outs(%s : memref<7x48xf32>) layout = "nt"
  return
}

// Three of f32 do, and two where two pipes multiply; where one does, two take turns.
// CHECK-LABEL: func.func @few(
// CHECK: vector.contract {{.*}} : vector<3x128xf32>, vector<128xf32> into vector<3xf32>
// FEW-LABEL: func.func @few(
// FEW: vector.contract {{.*}} : vector<3x128xf32>, vector<128xf32> into vector<3xf32>
func.func @few(%q: memref<3x128xf32>, %k: memref<48x128xf32>, %s: memref<3x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<3x128xf32>, memref<48x128xf32>) outs(%s : memref<3x48xf32>) layout = "nt"
  return
}

// CHECK-LABEL: func.func @fewer(
// CHECK: vector.contract {{.*}} : vector<2x256xf32>, vector<256xf32> into vector<2xf32>
// FEW-LABEL: func.func @fewer(
// FEW-NOT: vector<2x256xf32>
// FEW: return
func.func @fewer(%q: memref<2x256xf32>, %k: memref<48x256xf32>, %s: memref<2x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<2x256xf32>, memref<48x256xf32>) outs(%s : memref<2x48xf32>) layout = "nt"
  return
}

// An open number of rows: tiles of four, and one of what is left over.
// CHECK-LABEL: func.func @open(
// CHECK-NOT: memref.alloca
// CHECK: vector<4x64xbf16>, vector<4x64xbf16> into vector<4x4xf32>
// CHECK: vector<3x64xbf16>, vector<4x64xbf16> into vector<3x4xf32>
// CHECK: vector<2x64xbf16>, vector<4x64xbf16> into vector<2x4xf32>
// CHECK: vector<1x64xbf16>, vector<4x64xbf16> into vector<1x4xf32>
func.func @open(%count: index, %q: memref<11x64xbf16>, %k: memref<48x64xbf16>, %s: memref<11x48xf32>) {
  %rows = affine.min affine_map<(d0) -> (d0, 11)>(%count)
  %x = memref.subview %q[0, 0] [%rows, 64] [1, 1] : memref<11x64xbf16> to memref<?x64xbf16, strided<[64, 1]>>
  %y = memref.subview %s[0, 0] [%rows, 48] [1, 1] : memref<11x48xf32> to memref<?x48xf32, strided<[48, 1]>>
  linalg_ext.batch_matmul ins(%x, %k : memref<?x64xbf16, strided<[64, 1]>>, memref<48x64xbf16>)
      outs(%y : memref<?x48xf32, strided<[48, 1]>>) layout = "nt"
  return
}

// An open number of rows that they meet: what is left over behind tiles is met one by one, as it is few of many.
// CHECK-LABEL: func.func @open_keys(
// CHECK: vector<4x64xbf16>, vector<4x64xbf16> into vector<4x4xf32>
// CHECK: vector<4x64xbf16>, vector<1x64xbf16> into vector<4x1xf32>
// CHECK-NOT: vector.contract
func.func @open_keys(%q: memref<4x64xbf16>, %k: memref<?x64xbf16>, %s: memref<4x?xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<4x64xbf16>, memref<?x64xbf16>) outs(%s : memref<4x?xf32>) layout = "nt"
  return
}

// Not so more rows, for which a panel pays; rows that end within a register, and those that registers do not hold.
// CHECK-LABEL: func.func @twelve(
// CHECK: memref.alloca
func.func @twelve(%q: memref<12x64xf16>, %k: memref<48x64xf16>, %s: memref<12x48xf32>) {
  linalg_ext.batch_matmul ins(%q, %k : memref<12x64xf16>, memref<48x64xf16>) outs(%s : memref<12x48xf32>) layout = "nt"
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

// All rows are one tile as well where a row of the other factor is as long as a tile is wide, or longer; it is as wide as
// the rows leave room for.
// CHECK-LABEL: func.func @all(
// CHECK: vector.contract {{.*}} : vector<4x1xf32>, vector<1x64xf32> into vector<4x64xf32>
// CHECK-LABEL: func.func @as_long(
// CHECK: vector.contract {{.*}} : vector<4x1xf32>, vector<1x64xf32> into vector<4x64xf32>
// TURNS-LABEL: func.func @all(
// TURNS: vector.contract {{.*}} into vector<2x128xf32>
func.func @all(%a: memref<4x256xf32>, %b: memref<256x256xf32>, %c: memref<4x256xf32>) {
  linalg.matmul ins(%a, %b : memref<4x256xf32>, memref<256x256xf32>) outs(%c : memref<4x256xf32>)
  return
}
func.func @as_long(%a: memref<4x256xf32>, %b: memref<256x128xf32>, %c: memref<4x128xf32>) {
  linalg.matmul ins(%a, %b : memref<4x256xf32>, memref<256x128xf32>) outs(%c : memref<4x128xf32>)
  return
}
