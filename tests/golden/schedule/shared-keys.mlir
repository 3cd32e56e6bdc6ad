// Rows of all sequences are one loop at the end, but the keys and values of a sequence serve all its tiles of rows: those
// are products of their own, not made again by each tile. Tiles of whole sequences make them.
// RUN: tcc-attn compile %s --target=host:znver3 --cores=8 --emit=mlir --dump=schedule -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver3 --cores=1 --emit=mlir --dump=schedule -o %t 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: tcc-attn run %s --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: check: result 0: {{.*}}: good
#x = affine_map<(r, c, k) -> (r, k)>
#w = affine_map<(r, c, k) -> (c, k)>
#y = affine_map<(r, c, k) -> (r, c)>

// CHECK-LABEL: func.func @attention(
// CHECK: scf.forall (
// CHECK: scf.forall (
// CHECK: linalg_ext.softmax
// CHECK-NOT: scf.forall (
// CHECK: return
// WHOLE-LABEL: func.func @attention(
// WHOLE: scf.forall (
// WHOLE: linalg_ext.softmax
// WHOLE-NOT: scf.forall (
// WHOLE: return
func.func @attention(%x: tensor<512x64xf32>, %wk: tensor<64x64xf32>, %wo: tensor<64x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %k = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wk : tensor<512x64xf32>, tensor<64x64xf32>) outs(%z : tensor<512x64xf32>) -> tensor<512x64xf32>
  %keys = tensor.expand_shape %k [[0, 1], [2]] output_shape [4, 128, 64] : tensor<512x64xf32> into tensor<4x128x64xf32>
  %queries = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 128, 64] : tensor<512x64xf32> into tensor<4x128x64xf32>
  %es = tensor.empty() : tensor<4x128x128xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>]
      ins(%queries, %keys : tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%zs : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x128x128xf32>) outs(%es : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %eo = tensor.empty() : tensor<4x128x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, m, d, n) -> (b, m, n)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, d)>]
      ins(%p, %keys : tensor<4x128x128xf32>, tensor<4x128x64xf32>) outs(%zo : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  %rows = tensor.collapse_shape %o [[0, 1], [2]] : tensor<4x128x64xf32> into tensor<512x64xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%rows, %wo : tensor<512x64xf32>, tensor<64x64xf32>) outs(%z : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}
