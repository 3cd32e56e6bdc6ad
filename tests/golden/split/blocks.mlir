// Reductions of few blocks are shared by blocks on a GPU: as many parts as fill its multiprocessors once.
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx --dump=split -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --emit=ptx --dump=split -o %t 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=spirv --dump=split -o %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN --allow-empty
// UNKNOWN-NOT: tec.merges
#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>
#p = affine_map<(h, m, d, n) -> (h, m, n)>
#v = affine_map<(h, m, d, n) -> (h, n, d)>
#o = affine_map<(h, m, d, n) -> (h, m, d)>

// What parts leave: sums of values, maxima, sums of weights. What merges them has the kernel's own grid; the weights of
// parts are no factors of a product.
// CHECK-LABEL: func.func @few(
// CHECK: scf.forall ({{.*}}) = (0, 0, 0) to (32, 1, 16) step (1, 16, 1) {{.*}} -> (tensor<32x1x16x1x1x64xf32>, tensor<32x1x16x1x1xf32>, tensor<32x1x16x1x1xf32>) {
// CHECK: scf.for {{.*}} step
// CHECK: scf.forall ({{.*}}) = (0, 0) to (32, 1) step (1, 16)
// CHECK-NOT: scf.for {{.*}} step
// CHECK: } {tec.merges}
// SMALL-LABEL: func.func @few(
// SMALL: scf.forall ({{.*}}) = (0, 0, 0) to (32, 1, 10) step (1, 16, 1)
func.func @few(%q: tensor<32x1x64xf16>, %k: tensor<32x8192x64xf16>, %v: tensor<32x8192x64xf16>) -> tensor<32x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<32x1x8192xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x1x8192xf32>) -> tensor<32x1x8192xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<32x1x64xf16>, tensor<32x8192x64xf16>) outs(%zs : tensor<32x1x8192xf32>) -> tensor<32x1x8192xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<32x1x8192xf32>) outs(%es : tensor<32x1x8192xf32>) -> tensor<32x1x8192xf32>
  %en = tensor.empty() : tensor<32x1x8192xf16>
  %pn = linalg.map ins(%p : tensor<32x1x8192xf32>) outs(%en : tensor<32x1x8192xf16>)
    (%wide: f32) {
      %narrow = arith.truncf %wide : f32 to f16
      linalg.yield %narrow : f16
    }
  %eo = tensor.empty() : tensor<32x1x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %o = linalg.contract indexing_maps = [#p, #v, #o] ins(%pn, %v : tensor<32x1x8192xf16>, tensor<32x8192x64xf16>) outs(%zo : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  return %o : tensor<32x1x64xf32>
}

// Heads enough.
// CHECK-LABEL: func.func @many(
// CHECK: scf.forall
// CHECK-NOT: scf.forall (
// CHECK-LABEL: func.func private @many_shapes
func.func @many(%q: tensor<1200x1x64xf16>, %k: tensor<1200x8192x64xf16>, %v: tensor<1200x8192x64xf16>) -> tensor<1200x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<1200x1x8192xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<1200x1x8192xf32>) -> tensor<1200x1x8192xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<1200x1x64xf16>, tensor<1200x8192x64xf16>) outs(%zs : tensor<1200x1x8192xf32>) -> tensor<1200x1x8192xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<1200x1x8192xf32>) outs(%es : tensor<1200x1x8192xf32>) -> tensor<1200x1x8192xf32>
  %en = tensor.empty() : tensor<1200x1x8192xf16>
  %pn = linalg.map ins(%p : tensor<1200x1x8192xf32>) outs(%en : tensor<1200x1x8192xf16>)
    (%wide: f32) {
      %narrow = arith.truncf %wide : f32 to f16
      linalg.yield %narrow : f16
    }
  %eo = tensor.empty() : tensor<1200x1x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1200x1x64xf32>) -> tensor<1200x1x64xf32>
  %o = linalg.contract indexing_maps = [#p, #v, #o] ins(%pn, %v : tensor<1200x1x8192xf16>, tensor<1200x8192x64xf16>) outs(%zo : tensor<1200x1x64xf32>) -> tensor<1200x1x64xf32>
  return %o : tensor<1200x1x64xf32>
}

// Too few keys for what another kernel costs.
// CHECK-LABEL: func.func @short(
// CHECK: scf.forall
// CHECK-NOT: scf.forall (
// CHECK-LABEL: func.func private @short_shapes
func.func @short(%q: tensor<32x1x64xf16>, %k: tensor<32x300x64xf16>, %v: tensor<32x300x64xf16>) -> tensor<32x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<32x1x300xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x1x300xf32>) -> tensor<32x1x300xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<32x1x64xf16>, tensor<32x300x64xf16>) outs(%zs : tensor<32x1x300xf32>) -> tensor<32x1x300xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<32x1x300xf32>) outs(%es : tensor<32x1x300xf32>) -> tensor<32x1x300xf32>
  %en = tensor.empty() : tensor<32x1x300xf16>
  %pn = linalg.map ins(%p : tensor<32x1x300xf32>) outs(%en : tensor<32x1x300xf16>)
    (%wide: f32) {
      %narrow = arith.truncf %wide : f32 to f16
      linalg.yield %narrow : f16
    }
  %eo = tensor.empty() : tensor<32x1x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %o = linalg.contract indexing_maps = [#p, #v, #o] ins(%pn, %v : tensor<32x1x300xf16>, tensor<32x300x64xf16>) outs(%zo : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  return %o : tensor<32x1x64xf32>
}

// A cache of an open number of keys is taken to be long.
// CHECK-LABEL: func.func @open(
// CHECK: scf.forall ({{.*}}) = (0, 0, 0) to (4, 1, 32) step (1, 16, 1)
// CHECK: } {tec.merges}
func.func @open(%q: tensor<4x1x64xf16>, %k: tensor<4x?x64xf16>, %v: tensor<4x?x64xf16>) -> tensor<4x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<4x?x64xf16>
  %es = tensor.empty(%n) : tensor<4x1x?xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x1x64xf16>, tensor<4x?x64xf16>) outs(%zs : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x1x?xf32>) outs(%es : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
  %en = tensor.empty(%n) : tensor<4x1x?xf16>
  %pn = linalg.map ins(%p : tensor<4x1x?xf32>) outs(%en : tensor<4x1x?xf16>)
    (%wide: f32) {
      %narrow = arith.truncf %wide : f32 to f16
      linalg.yield %narrow : f16
    }
  %eo = tensor.empty() : tensor<4x1x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  %o = linalg.contract indexing_maps = [#p, #v, #o] ins(%pn, %v : tensor<4x1x?xf16>, tensor<4x?x64xf16>) outs(%zo : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  return %o : tensor<4x1x64xf32>
}
