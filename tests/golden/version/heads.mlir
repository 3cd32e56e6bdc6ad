// Where the number of queries is open, the version for one query makes heads that share keys rows of one tile, unless
// something asks which head it is, or each has keys of its own; its steps over keys are those for so many rows.
// RUN: tcc-attn compile %s --target=host:znver4 --cores=2 --emit=asm --dump=version -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --func=causal --threads=2 --random --dims=1,300,300 --check --verify | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=causal --threads=2 --random --dims=3,300,300 --check --verify | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=sloped --threads=2 --random --dims=1,300,300 --check --verify | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=own --threads=2 --random --dims=1,300,300 --check --verify | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=columns --threads=2 --random --dims=2,1,1 --check --verify | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=columns --threads=2 --random --dims=2,3,5 --check --verify | FileCheck %s --check-prefix=GOOD
// GOOD: : good

// CHECK-LABEL: func.func @causal(
// CHECK: scf.if
// CHECK: scf.forall ({{.*}}) = (0, 0, 0) to (3, 4, %{{.*}}) step (1, 4, 128)
// CHECK: memref.subview %arg0[%{{.*}}, 0, 0, 0] [1, 4, 1, 64]
// CHECK: scf.for {{.*}} step %c16{{[ _]}}
// CHECK: else
// CHECK: scf.forall ({{.*}}) = (0, 0, 0) to (3, 4, %{{.*}}) step (1, 1, 128)
func.func @causal(%q: tensor<3x4x?x64xf32>, %k: tensor<3x?x64xf32>, %v: tensor<3x?x64xf32>) -> tensor<3x4x?x64xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nq = tensor.dim %q, %c2 : tensor<3x4x?x64xf32>
  %nk = tensor.dim %k, %c1 : tensor<3x?x64xf32>
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty(%nq, %nk) : tensor<3x4x?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(h, g, q, k, d) -> (h, g, q, d)>, affine_map<(h, g, q, k, d) -> (h, k, d)>, affine_map<(h, g, q, k, d) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x4x?x64xf32>, tensor<3x?x64xf32>) outs(%i : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(h, g, q, k) -> (h, g, q, k)>, affine_map<(h, g, q, k) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m0 = arith.mulf %x, %s : f32
    %iq = linalg.index 2 : index
    %ik = linalg.index 3 : index
    %of = arith.subi %nk, %nq : index
    %pq = arith.addi %iq, %of : index
    %vis = arith.cmpi sle, %ik, %pq : index
    %hid = arith.constant 0xFF800000 : f32
    %m = arith.select %vis, %m0, %hid : f32
    linalg.yield %m : f32
  } -> tensor<3x4x?x?xf32>
  %w0 = linalg.softmax dimension(3) ins(%b : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %re = tensor.empty(%nq) : tensor<3x4x?x64xf32>
  %ri = linalg.fill ins(%z : f32) outs(%re : tensor<3x4x?x64xf32>) -> tensor<3x4x?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, g, q, d, k) -> (h, g, q, k)>, affine_map<(h, g, q, d, k) -> (h, k, d)>, affine_map<(h, g, q, d, k) -> (h, g, q, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w0, %v : tensor<3x4x?x?xf32>, tensor<3x?x64xf32>) outs(%ri : tensor<3x4x?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x64xf32>
  return %r : tensor<3x4x?x64xf32>
}

// CHECK-LABEL: func.func @sloped(
// CHECK-NOT: step (1, 4, 128)
func.func @sloped(%q: tensor<3x4x?x64xf32>, %k: tensor<3x?x64xf32>, %v: tensor<3x?x64xf32>) -> tensor<3x4x?x64xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nq = tensor.dim %q, %c2 : tensor<3x4x?x64xf32>
  %nk = tensor.dim %k, %c1 : tensor<3x?x64xf32>
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty(%nq, %nk) : tensor<3x4x?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(h, g, q, k, d) -> (h, g, q, d)>, affine_map<(h, g, q, k, d) -> (h, k, d)>, affine_map<(h, g, q, k, d) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x4x?x64xf32>, tensor<3x?x64xf32>) outs(%i : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(h, g, q, k) -> (h, g, q, k)>, affine_map<(h, g, q, k) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m0 = arith.mulf %x, %s : f32
    %ig = linalg.index 1 : index
    %ii = arith.index_cast %ig : index to i32
    %fg = arith.sitofp %ii : i32 to f32
    %m = arith.mulf %m0, %fg : f32
    linalg.yield %m : f32
  } -> tensor<3x4x?x?xf32>
  %w0 = linalg.softmax dimension(3) ins(%b : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %re = tensor.empty(%nq) : tensor<3x4x?x64xf32>
  %ri = linalg.fill ins(%z : f32) outs(%re : tensor<3x4x?x64xf32>) -> tensor<3x4x?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, g, q, d, k) -> (h, g, q, k)>, affine_map<(h, g, q, d, k) -> (h, k, d)>, affine_map<(h, g, q, d, k) -> (h, g, q, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w0, %v : tensor<3x4x?x?xf32>, tensor<3x?x64xf32>) outs(%ri : tensor<3x4x?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x64xf32>
  return %r : tensor<3x4x?x64xf32>
}

// CHECK-LABEL: func.func @own(
// CHECK-NOT: step (1, 4, 128)
func.func @own(%q: tensor<3x4x?x64xf32>, %k: tensor<3x4x?x64xf32>, %v: tensor<3x4x?x64xf32>) -> tensor<3x4x?x64xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nq = tensor.dim %q, %c2 : tensor<3x4x?x64xf32>
  %nk = tensor.dim %k, %c2 : tensor<3x4x?x64xf32>
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty(%nq, %nk) : tensor<3x4x?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(h, g, q, k, d) -> (h, g, q, d)>, affine_map<(h, g, q, k, d) -> (h, g, k, d)>, affine_map<(h, g, q, k, d) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x4x?x64xf32>, tensor<3x4x?x64xf32>) outs(%i : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(h, g, q, k) -> (h, g, q, k)>, affine_map<(h, g, q, k) -> (h, g, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m0 = arith.mulf %x, %s : f32
    %m = arith.addf %m0, %z : f32
    linalg.yield %m : f32
  } -> tensor<3x4x?x?xf32>
  %w0 = linalg.softmax dimension(3) ins(%b : tensor<3x4x?x?xf32>) outs(%e : tensor<3x4x?x?xf32>) -> tensor<3x4x?x?xf32>
  %re = tensor.empty(%nq) : tensor<3x4x?x64xf32>
  %ri = linalg.fill ins(%z : f32) outs(%re : tensor<3x4x?x64xf32>) -> tensor<3x4x?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, g, q, d, k) -> (h, g, q, k)>, affine_map<(h, g, q, d, k) -> (h, g, k, d)>, affine_map<(h, g, q, d, k) -> (h, g, q, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w0, %v : tensor<3x4x?x?xf32>, tensor<3x4x?x64xf32>) outs(%ri : tensor<3x4x?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4x?x64xf32>
  return %r : tensor<3x4x?x64xf32>
}

// Scratch memory for all heads, of which other extents are open.
// CHECK-LABEL: func.func @columns(
// CHECK: memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<1x?x3x?x?xf32>
func.func @columns(%x: tensor<?x3xf16>, %y: tensor<?x?x2xf16>) -> tensor<?x?x3x?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %a = tensor.dim %y, %c0 : tensor<?x?x2xf16>
  %b = tensor.dim %y, %c1 : tensor<?x?x2xf16>
  %n = tensor.dim %x, %c0 : tensor<?x3xf16>
  %e0 = tensor.empty(%n, %b, %a) : tensor<?x?x3x?xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(n, b, h, a) -> (n, h)>, affine_map<(n, b, h, a) -> (n, b, h, a)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<?x3xf16>) outs(%e0 : tensor<?x?x3x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    %i = linalg.index 3 : index
    %j = arith.index_cast %i : index to i32
    %v = arith.sitofp %j : i32 to f16
    linalg.yield %v : f16
  } -> tensor<?x?x3x?xf16>
  %e1 = tensor.empty(%a, %a, %b, %b) : tensor<?x?x3x?x?xf16>
  %f1 = linalg.fill ins(%zero : f16) outs(%e1 : tensor<?x?x3x?x?xf16>) -> tensor<?x?x3x?x?xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(h, c, d, k, a, b) -> (k, b, h, a)>, affine_map<(h, c, d, k, a, b) -> (d, c, k)>, affine_map<(h, c, d, k, a, b) -> (a, d, h, c, b)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%p, %y : tensor<?x?x3x?xf16>, tensor<?x?x2xf16>) outs(%f1 : tensor<?x?x3x?x?xf16>) {
  ^bb0(%u: f16, %w: f16, %out: f16):
    %m = arith.mulf %u, %w : f16
    %t = arith.addf %out, %m : f16
    linalg.yield %t : f16
  } -> tensor<?x?x3x?x?xf16>
  return %r : tensor<?x?x3x?x?xf16>
}
