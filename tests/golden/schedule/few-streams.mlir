// Where memory has few streams (Zen 1), up to four rows read the other factor, of f32, four rows at a time, in tiles whose
// sums leave room in the second-level cache; eight rows do as elsewhere. Small tiles copy pieces with long parts of rows
// for up to 32 rows. What the last cache does not hold is asked for past the caches, along its rows: from nearer by where
// several are read at once.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver1 --cores=1 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver2 --cores=1 | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn compile %s --target=host:znver1 --cores=1 --emit=mlir -o - | FileCheck %s --check-prefix=ASK
// RUN: tcc-attn compile %s --target=host:znver1 --cores=1 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: tcc-attn compile %s --target=host:znver2 --cores=1 --emit=asm -o - | FileCheck %s --check-prefix=THROUGH

// ASM: prefetchnta
// THROUGH-NOT: prefetchnta

// CHECK-LABEL: @one
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 4096)
// CHECK: scf.for {{.*}} step %c4{{[ _]}}
// OTHER-LABEL: @one
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 2048)
// OTHER: scf.for {{.*}} step %c8{{[ _]}}
// ASK-LABEL: func.func @one(
// ASK: vector.transfer_read {{.*}}tec.near, tec.prefetch = array<i64: 0, 64>
func.func @one(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// CHECK-LABEL: @eight
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 2048)
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASK-LABEL: func.func @eight(
// ASK-NOT: tec.near
func.func @eight(%a: tensor<8x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %r : tensor<8x4096xf32>
}

// CHECK-LABEL: @long_parts
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 512)
// CHECK: scf.for {{.*}} step %c64{{[ _]}}
// OTHER-LABEL: @long_parts
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 512)
func.func @long_parts(%a: tensor<32x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<32x4096xf32>)
    -> tensor<32x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<32x4096xf32>) -> tensor<32x4096xf32>
  return %r : tensor<32x4096xf32>
}

// CHECK-LABEL: @more_rows
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @more_rows(%a: tensor<33x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<33x4096xf32>)
    -> tensor<33x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<33x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<33x4096xf32>) -> tensor<33x4096xf32>
  return %r : tensor<33x4096xf32>
}

// Rows of terms, several at once. What the last cache may hold is asked for into the second one.
// ASK-LABEL: func.func @turned(
// ASK: tec.near, tec.prefetch = array<i64: 0, 64>
func.func @turned(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<1x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}
// ASK-LABEL: func.func @held(
// ASK-NOT: tec.near
func.func @held(%a: tensor<1x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x1024xf32>, tensor<1024x1024xf32>)
      outs(%c : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %r : tensor<1x1024xf32>
}

// One query: short rows of keys and values follow each other.
// ASK-LABEL: func.func @query(
// ASK: tec.near, tec.prefetch = array<i64: 0, 192>
// ASK: tec.near, tec.prefetch = array<i64: 0, 192>
func.func @query(%q: tensor<1x64xf32>, %k: tensor<65536x64xf32>, %v: tensor<65536x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<1x65536xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<1x65536xf32>) -> tensor<1x65536xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(i, j, c) -> (i, c)>, affine_map<(i, j, c) -> (j, c)>, affine_map<(i, j, c) -> (i, j)>] ins(%q, %k : tensor<1x64xf32>, tensor<65536x64xf32>) outs(%s0 : tensor<1x65536xf32>) -> tensor<1x65536xf32>
  %w = linalg.softmax dimension(1) ins(%scores : tensor<1x65536xf32>) outs(%s : tensor<1x65536xf32>) -> tensor<1x65536xf32>
  %r = tensor.empty() : tensor<1x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<1x64xf32>) -> tensor<1x64xf32>
  %result = linalg.matmul ins(%w, %v : tensor<1x65536xf32>, tensor<65536x64xf32>) outs(%r0 : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}
