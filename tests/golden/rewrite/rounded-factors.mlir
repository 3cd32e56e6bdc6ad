// Factors that are made of integers, and rounded as a product wants both alike: few rows, and all where a machine has no
// products of such factors, take them as they were before, and their scale later, if there is one for all terms.
// RUN: tcc-attn opt %s --passes=move-factors,widen-factors,simplify --verify --target=host:znver4 | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: tcc-attn opt %s --passes=move-factors,widen-factors,simplify --verify --target=host:x86-64-v3 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random=2 --check --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random=3 --check --device=ptx-emu || exit 1; done'

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#whole = affine_map<(n, k) -> (n, k)>
#row = affine_map<(n, k) -> (n)>
#group = affine_map<(n, k) -> (n, k floordiv 32)>

// CHECK-LABEL: func.func @few(
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<3x64xbf16>, tensor<70x64xi8>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 : tensor<3x70xf32>, tensor<70xf32>)
func.func @few(%x: tensor<3x64xbf16>, %w: tensor<70x64xi8>, %s: tensor<70xf32>) -> tensor<3x70xf32> {
  %we = tensor.empty() : tensor<70x64xbf16>
  %wide = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<70x64xi8>, tensor<70xf32>) outs(%we : tensor<70x64xbf16>) {
  ^bb0(%i: i8, %f: f32, %o: bf16):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x64xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x70xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3x70xf32>) -> tensor<3x70xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<3x64xbf16>, tensor<70x64xbf16>) outs(%init : tensor<3x70xf32>) -> tensor<3x70xf32>
  return %r : tensor<3x70xf32>
}

// CHECK-LABEL: func.func @many(
// PAIRS: arith.truncf
// PAIRS: linalg.contract {{.*}} ins(%arg0, %{{.*}} : tensor<50x64xbf16>, tensor<70x64xbf16>)
// NONE-NOT: arith.truncf
// NONE: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<50x64xbf16>, tensor<70x64xi8>)
// CHECK: return
func.func @many(%x: tensor<50x64xbf16>, %w: tensor<70x64xi8>, %s: tensor<70xf32>) -> tensor<50x70xf32> {
  %we = tensor.empty() : tensor<70x64xbf16>
  %wide = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<70x64xi8>, tensor<70xf32>) outs(%we : tensor<70x64xbf16>) {
  ^bb0(%i: i8, %f: f32, %o: bf16):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x64xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x70xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<50x70xf32>) -> tensor<50x70xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<50x64xbf16>, tensor<70x64xbf16>) outs(%init : tensor<50x70xf32>) -> tensor<50x70xf32>
  return %r : tensor<50x70xf32>
}

// A scale for each 32 terms stays before the product.
// CHECK-LABEL: func.func @groups(
// CHECK-NOT: arith.truncf
// CHECK: -> tensor<70x64xf32>
// CHECK: linalg.{{generic|contract}} {{.*}} ins(%arg0, %{{.*}} : tensor<3x64xf16>, tensor<70x64xf32>)
// CHECK: return
func.func @groups(%x: tensor<3x64xf16>, %w: tensor<70x64xi8>, %s: tensor<70x2xf32>) -> tensor<3x70xf16> {
  %we = tensor.empty() : tensor<70x64xf16>
  %wide = linalg.generic {indexing_maps = [#whole, #group, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<70x64xi8>, tensor<70x2xf32>) outs(%we : tensor<70x64xf16>) {
  ^bb0(%i: i8, %f: f32, %o: f16):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    %t = arith.truncf %p : f32 to f16
    linalg.yield %t : f16
  } -> tensor<70x64xf16>
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<3x70xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e : tensor<3x70xf16>) -> tensor<3x70xf16>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<3x64xf16>, tensor<70x64xf16>) outs(%init : tensor<3x70xf16>) -> tensor<3x70xf16>
  return %r : tensor<3x70xf16>
}

// Integers of 16 bits are not all numbers of bf16: what pairs are made of is rounded.
// CHECK-LABEL: func.func @wide_integers(
// PAIRS: arith.truncf
// NONE-NOT: arith.truncf
// CHECK: return
func.func @wide_integers(%x: tensor<50x64xbf16>, %w: tensor<70x64xi16>, %s: tensor<70xf32>) -> tensor<50x70xf32> {
  %we = tensor.empty() : tensor<70x64xbf16>
  %wide = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<70x64xi16>, tensor<70xf32>) outs(%we : tensor<70x64xbf16>) {
  ^bb0(%i: i16, %f: f32, %o: bf16):
    %a = arith.sitofp %i : i16 to f32
    %p = arith.mulf %a, %f : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x64xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x70xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<50x70xf32>) -> tensor<50x70xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<50x64xbf16>, tensor<70x64xbf16>) outs(%init : tensor<50x70xf32>) -> tensor<50x70xf32>
  return %r : tensor<50x70xf32>
}
