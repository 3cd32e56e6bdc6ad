// One row meets a few long rows of the other factor, each element once, from memory. Where requests get lost these are not
// asked for, and tiles are two registers wide, as the machine follows the rows by itself; but it is asked for what many
// terms or several rows read. Rows that go on along terms are followed in long pieces, unless they are short; where
// requests arrive these are asked for from near by, and pieces are short of what the last cache holds, but for small tiles,
// which take all terms at once. Tiles are as narrow there where memory, and not a cache, has the rows.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 --cores=2 | FileCheck %s --check-prefix=STEP
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=2 | FileCheck %s --check-prefixes=OTHER,PIECES
// RUN: tcc-attn opt %s --passes=schedule --target=host:haswell --cores=2 | FileCheck %s --check-prefixes=OTHER,WHOLE
// RUN: tcc-attn compile %s --target=host:znver5 --cores=2 --emit=mlir -o - --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --cores=2 --emit=mlir -o - --verify | FileCheck %s --check-prefixes=ASKED,WIDE
// RUN: tcc-attn compile %s --target=host:haswell --cores=2 --emit=mlir -o - --verify | FileCheck %s --check-prefixes=ASKED,SMALL

// STEP-LABEL: @one(
// STEP: scf.forall {{.*}} step ({{.*}}, 2048)
// STEP: linalg.matmul ins({{.*}} : tensor<1x4xf32>, tensor<4x2048xf32>)
// OTHER-LABEL: @one(
// OTHER: linalg.matmul ins({{.*}} : tensor<1x8xf32>, tensor<8x2048xf32>)
// CHECK-LABEL: @one(
// CHECK-NOT: tec.prefetch = array<i64: {{[1-9]}}
// CHECK: vector.contract {{.*}} : vector<1xf32>, vector<1x32xf32> into vector<32xf32>
// CHECK-NOT: tec.prefetch
// CHECK: return
// ASKED-LABEL: @one(
// ASKED: tec.prefetch
// WIDE: vector.contract {{.*}} : vector<1xf32>, vector<1x256xf32> into vector<256xf32>
// SMALL: vector.contract {{.*}} : vector<1xf32>, vector<1x64xf32> into vector<64xf32>
// ASKED: return
func.func @one(%a: tensor<1x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x512xf32>, tensor<512x4096xf32>) outs(%c : tensor<1x4096xf32>)
      -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// ASKED-LABEL: @beyond(
// ASKED: tec.prefetch = array<i64: 8, 0>
// WIDE: vector.contract {{.*}} : vector<1xf32>, vector<1x32xf32> into vector<32xf32>
// SMALL: vector.contract {{.*}} : vector<1xf32>, vector<1x16xf32> into vector<16xf32>
// ASKED: return
func.func @beyond(%a: tensor<1x65536xf32>, %b: tensor<65536x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x65536xf32>, tensor<65536x4096xf32>) outs(%c : tensor<1x4096xf32>)
      -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// CHECK-LABEL: @two(
// CHECK: vector_ext.prefetch
// CHECK: return
func.func @two(%a: tensor<2x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<2x4096xf32>) -> tensor<2x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x512xf32>, tensor<512x4096xf32>) outs(%c : tensor<2x4096xf32>)
      -> tensor<2x4096xf32>
  return %r : tensor<2x4096xf32>
}

// CHECK-LABEL: @narrow(
// CHECK-NOT: vector<1x32xf32> into
// CHECK: return
func.func @narrow(%a: tensor<1x512xf16>, %b: tensor<512x4096xf16>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x512xf16>, tensor<512x4096xf16>) outs(%c : tensor<1x4096xf32>)
      -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// STEP-LABEL: @along(
// STEP: linalg.matmul {{.*}}ins({{.*}} : tensor<1x2048xf32>, tensor<128x2048xf32>)
// OTHER-LABEL: @along(
// PIECES: linalg.matmul {{.*}}ins({{.*}} : tensor<1x2048xf32>, tensor<128x2048xf32>)
// WHOLE: linalg.matmul {{.*}}ins({{.*}} : tensor<1x4096xf32>, tensor<128x4096xf32>)
// CHECK-LABEL: @along(
// CHECK: vector.multi_reduction
// CHECK-NOT: tec.prefetch
// CHECK: return
// ASKED-LABEL: @along(
// ASKED: vector.transfer_read {{.*}}tec.prefetch = array<i64: 0, 256>{{.*}} memref<128x{{2048|4096}}xf32,
// ASKED: return
func.func @along(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<1x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// STEP-LABEL: @cached(
// STEP: linalg.matmul {{.*}}ins({{.*}} : tensor<1x2048xf32>, tensor<128x2048xf32>)
// OTHER-LABEL: @cached(
// PIECES: linalg.matmul {{.*}}ins({{.*}} : tensor<1x256xf32>, tensor<128x256xf32>)
// WHOLE: linalg.matmul {{.*}}ins({{.*}} : tensor<1x4096xf32>, tensor<128x4096xf32>)
func.func @cached(%a: tensor<1x4096xf32>, %b: tensor<1024x4096xf32>, %c: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<1x4096xf32>, tensor<1024x4096xf32>) outs(%c : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %r : tensor<1x1024xf32>
}

// CHECK-LABEL: @short(
// CHECK: vector.transfer_read {{.*}}tec.prefetch = array<i64: 8, 0>{{.*}} vector<8x
// CHECK: return
func.func @short(%query: tensor<1x320xf32>, %key: tensor<8192x320xf32>, %value: tensor<8192x320xf32>,
                 %scores: tensor<1x8192xf32>, %c: tensor<1x320xf32>) -> tensor<1x320xf32> {
  %s = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%query, %key : tensor<1x320xf32>, tensor<8192x320xf32>) outs(%scores : tensor<1x8192xf32>)
      -> tensor<1x8192xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<1x8192xf32>) outs(%scores : tensor<1x8192xf32>)
      -> tensor<1x8192xf32>
  %r = linalg.matmul ins(%w, %value : tensor<1x8192xf32>, tensor<8192x320xf32>) outs(%c : tensor<1x320xf32>)
      -> tensor<1x320xf32>
  return %r : tensor<1x320xf32>
}

// Few rows that come from memory are narrow, too, where requests arrive; four are not.
// ASKED-LABEL: @three(
// WIDE: vector<3x32xf32>
// SMALL: vector<3x16xf32>
// ASKED: return
func.func @three(%a: tensor<3x65536xf32>, %b: tensor<65536x4096xf32>, %c: tensor<3x4096xf32>) -> tensor<3x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x65536xf32>, tensor<65536x4096xf32>) outs(%c : tensor<3x4096xf32>)
      -> tensor<3x4096xf32>
  return %r : tensor<3x4096xf32>
}

// ASKED-LABEL: @four(
// WIDE: vector<2x128xf32>
// SMALL: vector<2x32xf32>
// ASKED: return
func.func @four(%a: tensor<4x65536xf32>, %b: tensor<65536x4096xf32>, %c: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x65536xf32>, tensor<65536x4096xf32>) outs(%c : tensor<4x4096xf32>)
      -> tensor<4x4096xf32>
  return %r : tensor<4x4096xf32>
}
