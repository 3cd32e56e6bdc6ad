// A factor that an elementwise op makes and few rows use, and that register tiles do not make (which
// host/made-in-registers.mlir has), is made in pieces that stay in the first cache: 32 rows of 64 terms where its rows run
// along them, 2048 columns of a few terms where they are columns. Many rows have longer ones.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver3 --cores=2 | FileCheck %s
// RUN: sh -c 'for f in columns terms many; do tcc-attn run %s --func=$f --random --check || exit 1; done'

#rk = affine_map<(r, n, k) -> (r, k)>
#kn = affine_map<(r, n, k) -> (k, n)>
#nk = affine_map<(r, n, k) -> (n, k)>
#rn = affine_map<(r, n, k) -> (r, n)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @columns(
// CHECK: scf.forall {{.*}} step ({{.*}}2048)
// CHECK: scf.for {{.*}} step %c4
// CHECK: arith.subf
func.func @columns(%x: tensor<3x512xf32>, %w: tensor<512x4096xf16>, %z: tensor<512x4096xf16>) -> tensor<3x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<512x4096xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %z : tensor<512x4096xf16>, tensor<512x4096xf16>) outs(%we : tensor<512x4096xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %s = arith.subf %a, %b : f16
    %n = arith.extf %s : f16 to f32
    linalg.yield %n : f32
  } -> tensor<512x4096xf32>
  %e = tensor.empty() : tensor<3x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  %r = linalg.matmul ins(%x, %wide : tensor<3x512xf32>, tensor<512x4096xf32>) outs(%f : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  return %r : tensor<3x4096xf32>
}

// CHECK-LABEL: func.func @terms(
// CHECK: scf.forall {{.*}} step ({{.*}}32)
// CHECK: scf.for {{.*}} step %c64
// CHECK: arith.subf
func.func @terms(%x: tensor<3x512xf32>, %w: tensor<4096x512xf16>, %z: tensor<4096x512xf16>) -> tensor<3x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<4096x512xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %z : tensor<4096x512xf16>, tensor<4096x512xf16>) outs(%we : tensor<4096x512xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %s = arith.subf %a, %b : f16
    %n = arith.extf %s : f16 to f32
    linalg.yield %n : f32
  } -> tensor<4096x512xf32>
  %e = tensor.empty() : tensor<3x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  %r = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %wide : tensor<3x512xf32>, tensor<4096x512xf32>) outs(%f : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  return %r : tensor<3x4096xf32>
}

// CHECK-LABEL: func.func @many(
// CHECK: scf.forall {{.*}} step ({{128|256}})
func.func @many(%x: tensor<64x512xf32>, %w: tensor<256x512xf16>, %z: tensor<256x512xf16>) -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<256x512xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %z : tensor<256x512xf16>, tensor<256x512xf16>) outs(%we : tensor<256x512xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %s = arith.subf %a, %b : f16
    %n = arith.extf %s : f16 to f32
    linalg.yield %n : f32
  } -> tensor<256x512xf32>
  %e = tensor.empty() : tensor<64x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %r = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %wide : tensor<64x512xf32>, tensor<256x512xf32>) outs(%f : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
