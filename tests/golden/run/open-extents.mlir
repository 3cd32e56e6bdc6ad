// What lives in registers has bounds, so extents that nobody knows are cut into tiles, even where that leaves a kernel in
// several parts: all extents of attention; a softmax whose products do not agree on a loop. Last, a factor that
// is read transposed first and by elements afterwards.
// RUN: tcc-attn run %s --func=attention --device=ptx-emu --random --check --dims=70,35,90,35,90,35 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: tcc-attn run %s --func=features --device=ptx-emu --random --check --dims=70,35,35 2>&1 | FileCheck %s --check-prefix=FEATURES
// RUN: tcc-attn run %s --func=both_ways --device=ptx-emu --random --check --dims=40,90 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: tcc-attn run %s --func=squares --device=ptx-emu --random --check --dims=40,90 2>&1 | FileCheck %s --check-prefix=SQUARES
// RUN: tcc-attn run %s --func=outer --device=ptx-emu --random --check --dims=20,12 2>&1 | FileCheck %s --check-prefix=OUTER
// RUN: tcc-attn run %s --func=two_values --device=ptx-emu --random --check 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: tcc-attn run %s --func=sums --device=ptx-emu --random --check --dims=5,70 2>&1 | FileCheck %s --check-prefix=SUMS
#q = affine_map<(m, n, d) -> (m, d)>
#k = affine_map<(m, n, d) -> (n, d)>
#out = affine_map<(m, n, d) -> (m, n)>
#rows = affine_map<(m, n) -> (m, n)>

// OPEN: tiles: forall 128x64, for 64, forall 64, for 64, for 64, forall 128x64, forall {{[0-9x]+}}, for
// OPEN: check: result 0: {{.*}}: good
func.func @attention(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>, %v: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c0 : tensor<?x?xf16>
  %n = tensor.dim %k, %c0 : tensor<?x?xf16>
  %d = tensor.dim %v, %c1 : tensor<?x?xf16>
  %s0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #out]
    ins(%q, %k : tensor<?x?xf16>, tensor<?x?xf16>) outs(%s1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o0 = tensor.empty(%m, %d) : tensor<?x?xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.contract indexing_maps = [#q, affine_map<(m, d, n) -> (n, d)>, #out]
    ins(%p, %v : tensor<?x?xf32>, tensor<?x?xf16>) outs(%o1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}

// The features of queries and keys alone are open: one kernel, with a loop over features in that over keys.
// FEATURES: tiles: forall 64, for 64, for 64
// FEATURES: check: result 0: {{.*}}: good
func.func @features(%q: tensor<?x?xf16>, %k: tensor<200x?xf16>, %v: tensor<200x32xf16>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x?xf16>
  %s0 = tensor.empty(%m) : tensor<?x200xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<?x200xf32>) -> tensor<?x200xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #out]
    ins(%q, %k : tensor<?x?xf16>, tensor<200x?xf16>) outs(%s1 : tensor<?x200xf32>) -> tensor<?x200xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x200xf32>) outs(%s0 : tensor<?x200xf32>) -> tensor<?x200xf32>
  %o0 = tensor.empty(%m) : tensor<?x32xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %o = linalg.contract indexing_maps = [#q, affine_map<(m, d, n) -> (n, d)>, #out]
    ins(%p, %v : tensor<?x200xf32>, tensor<200x32xf16>) outs(%o1 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %o : tensor<?x32xf32>
}

// BOTH: check: result 0: {{.*}}: good
// BOTH: check: result 1: {{.*}}: good
func.func @both_ways(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a0 = tensor.empty(%m, %m) : tensor<?x?xf32>
  %a1 = linalg.fill ins(%zero : f32) outs(%a0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = linalg.contract indexing_maps = [#q, #k, #out]
    ins(%p, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %b0 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %b1 = linalg.fill ins(%zero : f32) outs(%b0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = linalg.contract indexing_maps = [affine_map<(m, n, d) -> (d, m)>, affine_map<(m, n, d) -> (d, n)>, #out]
    ins(%p, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%b1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %a, %b : tensor<?x?xf32>, tensor<?x?xf32>
}

// SQUARES: check: result 0: {{.*}}: good
func.func @squares(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a0 = tensor.empty(%m) : tensor<?xf32>
  %a1 = linalg.fill ins(%zero : f32) outs(%a0 : tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.contract indexing_maps = [#rows, #rows, affine_map<(m, n) -> (m)>]
    ins(%p, %p : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a1 : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Of two loops that only one factor has, one is open: it does not multiply what lanes hold.
// OUTER: tiles: forall 1x8x17, forall 64x1x16
// OUTER: check: result 0: {{.*}}: good
func.func @outer(%q: tensor<?x8xf16>, %x: tensor<?x8x17xf16>) -> tensor<?x?x17xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x8xf16>
  %b = tensor.dim %x, %c0 : tensor<?x8x17xf16>
  %w0 = tensor.empty(%b) : tensor<?x8x17xf16>
  %w = linalg.exp ins(%x : tensor<?x8x17xf16>) outs(%w0 : tensor<?x8x17xf16>) -> tensor<?x8x17xf16>
  %o0 = tensor.empty(%m, %b) : tensor<?x?x17xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<?x?x17xf32>) -> tensor<?x?x17xf32>
  %o = linalg.contract indexing_maps = [affine_map<(m, b, n, k) -> (m, k)>, affine_map<(m, b, n, k) -> (b, k, n)>, affine_map<(m, b, n, k) -> (m, b, n)>]
    ins(%q, %w : tensor<?x8xf16>, tensor<?x8x17xf16>) outs(%o1 : tensor<?x?x17xf32>) -> tensor<?x?x17xf32>
  return %o : tensor<?x?x17xf32>
}

// VALUES: check: result 0: {{.*}}: good
func.func @two_values(%p: tensor<7x17xbf16>, %v: tensor<17x16xbf16>) -> (tensor<7x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0.0 : bf16
  %w0 = tensor.empty() : tensor<17x16xbf16>
  %w = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%v : tensor<17x16xbf16>) outs(%w0 : tensor<17x16xbf16>) {
  ^bb0(%x: bf16, %y: bf16):
    %z = arith.maximumf %x, %low : bf16
    linalg.yield %z : bf16
  } -> tensor<17x16xbf16>
  %o0 = tensor.empty() : tensor<7x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %a = linalg.matmul ins(%p, %v : tensor<7x17xbf16>, tensor<17x16xbf16>) outs(%o1 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %b = linalg.matmul ins(%p, %w : tensor<7x17xbf16>, tensor<17x16xbf16>) outs(%o1 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %sum = linalg.add ins(%a, %b : tensor<7x16xf32>, tensor<7x16xf32>) outs(%o0 : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %sum : tensor<7x16xf32>
}

// Of two open reductions, the last goes in steps.
// SUMS: tiles: forall 8, for 1, for 64
// SUMS: check: result 0: {{.*}}: good
func.func @sums(%x: tensor<?x?x8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0, 1]
  return %r : tensor<8xf32>
}
