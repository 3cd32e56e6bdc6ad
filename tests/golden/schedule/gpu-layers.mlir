// On a GPU a tile lives in registers. What another product, or statistics of rows, would need whole in a tile is stored
// where lanes have no registers for that, and each part is a kernel with tiles of its own; small layers are one kernel.
// RUN: tcc-attn opt %s --target=nvptx:sm_90 --passes=simplify,schedule | FileCheck %s
#v = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
#i = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @layers(
// CHECK: scf.forall {{.*}} to (512, 3072) step (64, 64)
// CHECK-NOT: scf.forall (
// CHECK: arith.maximumf
// CHECK: scf.forall {{.*}} to (512, 768) step (64, 64)
// CHECK-NOT: scf.forall (
func.func @layers(%x: tensor<512x768xf32>, %w1: tensor<768x3072xf32>, %w2: tensor<3072x768xf32>) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<512x3072xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<512x3072xf32>) -> tensor<512x3072xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<512x768xf32>, tensor<768x3072xf32>) outs(%zh : tensor<512x3072xf32>) -> tensor<512x3072xf32>
  %et = tensor.empty() : tensor<512x3072xf32>
  %a = linalg.map ins(%h : tensor<512x3072xf32>) outs(%et : tensor<512x3072xf32>) (%in: f32, %init: f32) {
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  }
  %e = tensor.empty() : tensor<512x768xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x768xf32>) -> tensor<512x768xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<512x3072xf32>, tensor<3072x768xf32>) outs(%z : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %y : tensor<512x768xf32>
}

// CHECK-LABEL: func.func @small_layers(
// CHECK: scf.forall {{.*}} to (512) step (64)
// CHECK: arith.maximumf
// CHECK-NOT: scf.forall (
func.func @small_layers(%x: tensor<512x64xf32>, %w1: tensor<64x256xf32>, %w2: tensor<256x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<512x256xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<512x256xf32>) -> tensor<512x256xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<512x64xf32>, tensor<64x256xf32>) outs(%zh : tensor<512x256xf32>) -> tensor<512x256xf32>
  %et = tensor.empty() : tensor<512x256xf32>
  %a = linalg.map ins(%h : tensor<512x256xf32>) outs(%et : tensor<512x256xf32>) (%in: f32, %init: f32) {
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  }
  %e = tensor.empty() : tensor<512x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<512x256xf32>, tensor<256x64xf32>) outs(%z : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %y : tensor<512x64xf32>
}

// Sums beside what stays of the rows: half as many of these.
// CHECK-LABEL: func.func @narrow_layers(
// CHECK: scf.forall {{.*}} to (512) step (64)
// CHECK: arith.maximumf
// CHECK-NOT: scf.forall (
func.func @narrow_layers(%x: tensor<512x128xbf16>, %w1: tensor<128x512xbf16>, %w2: tensor<512x128xbf16>) -> tensor<512x128xf32> {
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<512x512xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<512x512xf32>) -> tensor<512x512xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<512x128xbf16>, tensor<128x512xbf16>) outs(%zh : tensor<512x512xf32>) -> tensor<512x512xf32>
  %et = tensor.empty() : tensor<512x512xbf16>
  %a = linalg.map ins(%h : tensor<512x512xf32>) outs(%et : tensor<512x512xbf16>) (%in: f32, %init: bf16) {
    %r = arith.maximumf %in, %zero : f32
    %q = arith.truncf %r : f32 to bf16
    linalg.yield %q : bf16
  }
  %e = tensor.empty() : tensor<512x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x128xf32>) -> tensor<512x128xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<512x512xbf16>, tensor<512x128xbf16>) outs(%z : tensor<512x128xf32>) -> tensor<512x128xf32>
  return %y : tensor<512x128xf32>
}

// The columns of the product would each ask for the rows again.
// CHECK-LABEL: func.func @norm_before(
// CHECK: scf.forall {{.*}} in (512)
// CHECK: math.rsqrt
// CHECK: scf.forall {{.*}} to (512, 1024) step (64, 64)
// CHECK-NOT: math.rsqrt
func.func @norm_before(%x: tensor<512x768xf32>, %g: tensor<768xf32>, %w: tensor<768x1024xf32>) -> tensor<512x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 1.302083333e-03 : f32
  %eps = arith.constant 1.0e-05 : f32
  %e1 = tensor.empty() : tensor<512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %sq = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x768xf32>) outs(%z1 : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %ex = tensor.empty() : tensor<512x768xf32>
  %n = linalg.generic {indexing_maps = [#i, #v, #c, #i], iterator_types = ["parallel", "parallel"]} ins(%x, %sq, %g : tensor<512x768xf32>, tensor<512xf32>, tensor<768xf32>) outs(%ex : tensor<512x768xf32>) {
  ^bb0(%a: f32, %s: f32, %k: f32, %o: f32):
    %q = arith.mulf %s, %inv : f32
    %r = arith.addf %q, %eps : f32
    %t = math.rsqrt %r : f32
    %u = arith.mulf %a, %t : f32
    %v = arith.mulf %u, %k : f32
    linalg.yield %v : f32
  } -> tensor<512x768xf32>
  %e = tensor.empty() : tensor<512x1024xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %y = linalg.matmul ins(%n, %w : tensor<512x768xf32>, tensor<768x1024xf32>) outs(%z : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}

// The sum with what goes past the product is made with it, the rest needs whole rows.
// CHECK-LABEL: func.func @norm_behind(
// CHECK: scf.forall {{.*}} to (512, 768) step (64, 64)
// CHECK-NOT: scf.forall (
// CHECK: scf.forall {{.*}} in (512)
// CHECK: math.rsqrt
// CHECK-NOT: scf.forall (
func.func @norm_behind(%a: tensor<512x768xf32>, %w: tensor<768x768xf32>, %x: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 1.302083333e-03 : f32
  %eps = arith.constant 1.0e-05 : f32
  %e = tensor.empty() : tensor<512x768xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x768xf32>) -> tensor<512x768xf32>
  %y = linalg.matmul ins(%a, %w : tensor<512x768xf32>, tensor<768x768xf32>) outs(%z : tensor<512x768xf32>) -> tensor<512x768xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%y, %x : tensor<512x768xf32>, tensor<512x768xf32>) outs(%e : tensor<512x768xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<512x768xf32>
  %e1 = tensor.empty() : tensor<512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<512x768xf32>) outs(%z1 : tensor<512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %c = linalg.generic {indexing_maps = [#i, #v, #i], iterator_types = ["parallel", "parallel"]} ins(%r, %sum : tensor<512x768xf32>, tensor<512xf32>) outs(%e : tensor<512x768xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %q, %inv : f32
    %d = arith.subf %p, %s : f32
    linalg.yield %d : f32
  } -> tensor<512x768xf32>
  %sq = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<512x768xf32>) outs(%z1 : tensor<512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.mulf %p, %p : f32
    %s = arith.addf %t, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %n = linalg.generic {indexing_maps = [#i, #v, #i], iterator_types = ["parallel", "parallel"]} ins(%c, %sq : tensor<512x768xf32>, tensor<512xf32>) outs(%e : tensor<512x768xf32>) {
  ^bb0(%p: f32, %s: f32, %o: f32):
    %q = arith.mulf %s, %inv : f32
    %r2 = arith.addf %q, %eps : f32
    %t = math.rsqrt %r2 : f32
    %u = arith.mulf %p, %t : f32
    linalg.yield %u : f32
  } -> tensor<512x768xf32>
  return %n : tensor<512x768xf32>
}

// CHECK-LABEL: func.func @small_norm_behind(
// CHECK: scf.forall {{.*}} to (512) step (64)
// CHECK: math.rsqrt
// CHECK-NOT: scf.forall (
func.func @small_norm_behind(%a: tensor<512x768xf32>, %w: tensor<768x128xf32>, %x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 7.812500000e-03 : f32
  %eps = arith.constant 1.0e-05 : f32
  %e = tensor.empty() : tensor<512x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x128xf32>) -> tensor<512x128xf32>
  %y = linalg.matmul ins(%a, %w : tensor<512x768xf32>, tensor<768x128xf32>) outs(%z : tensor<512x128xf32>) -> tensor<512x128xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%y, %x : tensor<512x128xf32>, tensor<512x128xf32>) outs(%e : tensor<512x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<512x128xf32>
  %e1 = tensor.empty() : tensor<512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<512x128xf32>) outs(%z1 : tensor<512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %c = linalg.generic {indexing_maps = [#i, #v, #i], iterator_types = ["parallel", "parallel"]} ins(%r, %sum : tensor<512x128xf32>, tensor<512xf32>) outs(%e : tensor<512x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %q, %inv : f32
    %d = arith.subf %p, %s : f32
    linalg.yield %d : f32
  } -> tensor<512x128xf32>
  %sq = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<512x128xf32>) outs(%z1 : tensor<512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.mulf %p, %p : f32
    %s = arith.addf %t, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %n = linalg.generic {indexing_maps = [#i, #v, #i], iterator_types = ["parallel", "parallel"]} ins(%c, %sq : tensor<512x128xf32>, tensor<512xf32>) outs(%e : tensor<512x128xf32>) {
  ^bb0(%p: f32, %s: f32, %o: f32):
    %q = arith.mulf %s, %inv : f32
    %r2 = arith.addf %q, %eps : f32
    %t = math.rsqrt %r2 : f32
    %u = arith.mulf %p, %t : f32
    linalg.yield %u : f32
  } -> tensor<512x128xf32>
  return %n : tensor<512x128xf32>
}
