// Sums of products of elements, which tensors are repeated for, are products of tensors; and attention that is spelled
// so is attention.
// RUN: tcc-attn opt %s --passes=raise,simplify | FileCheck %s
// RUN: sh -c 'for f in rows column turned bytes wrapping narrow squares weighted attention; do tcc-attn run %s --func=$f --random --check --verify --target=host:znver4 || exit 1; done'
// RUN: sh -c 'for f in rows column turned bytes wrapping narrow squares weighted attention; do tcc-attn run %s --func=$f --random=2 --check --device=ptx-emu || exit 1; done'
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tcc-attn opt %s --passes=raise,simplify --target=nvptx:sm_90 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @rows(
// CHECK: linalg.generic
// CHECK: arith.mul
// CHECK-NEXT: arith.add
// CHECK: return
func.func @rows(%x: tensor<6x20xf32>, %w: tensor<9x20xf32>) -> tensor<6x9xf32> {
  %e = tensor.empty() : tensor<6x9x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : tensor<6x20xf32>, tensor<9x20xf32>) outs(%e : tensor<6x9x20xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x9x20xf32>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<6x9xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<6x9xf32>) -> tensor<6x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<6x9x20xf32>) outs(%i : tensor<6x9xf32>) {
  ^bb0(%c: f32, %out: f32):
    %0 = arith.addf %c, %out : f32
    linalg.yield %0 : f32
  } -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// GPUs share rows out to lanes, which add them up.
// GPU-LABEL: func.func @column(
// GPU: arith.mulf
// GPU-NEXT: linalg.yield
// CHECK-LABEL: func.func @column(
// CHECK: linalg.generic
// CHECK: arith.mul
// CHECK-NEXT: arith.add
// CHECK: return
func.func @column(%x: tensor<20xf32>, %w: tensor<9x20xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<20xf32>, tensor<9x20xf32>) outs(%e : tensor<9x20xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<9x20xf32>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<9xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<9xf32>) -> tensor<9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<9x20xf32>) outs(%i : tensor<9xf32>) {
  ^bb0(%c: f32, %out: f32):
    %0 = arith.addf %c, %out : f32
    linalg.yield %0 : f32
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// GPU-LABEL: func.func @turned(
// GPU: arith.mulf
// GPU-NEXT: arith.addf
// CHECK-LABEL: func.func @turned(
// CHECK: linalg.generic
// CHECK: arith.mul
// CHECK-NEXT: arith.add
// CHECK: return
func.func @turned(%x: tensor<6x9xf32>, %w: tensor<9x20xf32>) -> tensor<6x20xf32> {
  %e = tensor.empty() : tensor<6x9x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : tensor<6x9xf32>, tensor<9x20xf32>) outs(%e : tensor<6x9x20xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x9x20xf32>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<6x20xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<6x20xf32>) -> tensor<6x20xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%p : tensor<6x9x20xf32>) outs(%i : tensor<6x20xf32>) {
  ^bb0(%c: f32, %out: f32):
    %0 = arith.addf %c, %out : f32
    linalg.yield %0 : f32
  } -> tensor<6x20xf32>
  return %y : tensor<6x20xf32>
}

// Products of bytes have room in 32 bits, so that they may as well be made in 64.
// CHECK-LABEL: func.func @bytes(
// CHECK: linalg.generic
// CHECK: arith.mul
// CHECK-NEXT: arith.add
// CHECK: return
func.func @bytes(%x: tensor<6x20xi8>, %w: tensor<9x20xi8>) -> tensor<6x9xi64> {
  %e = tensor.empty() : tensor<6x9x20xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : tensor<6x20xi8>, tensor<9x20xi8>) outs(%e : tensor<6x9x20xi32>) {
  ^bb0(%a: i8, %b: i8, %out: i32):
    %wa = arith.extsi %a : i8 to i32
    %wb = arith.extsi %b : i8 to i32
    %0 = arith.muli %wa, %wb : i32
    linalg.yield %0 : i32
  } -> tensor<6x9x20xi32>
  %z = arith.constant 0 : i64
  %ey = tensor.empty() : tensor<6x9xi64>
  %i = linalg.fill ins(%z : i64) outs(%ey : tensor<6x9xi64>) -> tensor<6x9xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<6x9x20xi32>) outs(%i : tensor<6x9xi64>) {
  ^bb0(%c: i32, %out: i64):
    %wc = arith.extsi %c : i32 to i64
    %0 = arith.addi %wc, %out : i64
    linalg.yield %0 : i64
  } -> tensor<6x9xi64>
  return %y : tensor<6x9xi64>
}

// Products of 32 bits wrap around there, and not in 64.
// CHECK-LABEL: func.func @wrapping(
// CHECK: arith.mul
// CHECK-NEXT: linalg.yield
// CHECK: arith.add
// CHECK: return
func.func @wrapping(%x: tensor<6x20xi32>, %w: tensor<9x20xi32>) -> tensor<6x9xi64> {
  %e = tensor.empty() : tensor<6x9x20xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : tensor<6x20xi32>, tensor<9x20xi32>) outs(%e : tensor<6x9x20xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %0 = arith.muli %a, %b : i32
    linalg.yield %0 : i32
  } -> tensor<6x9x20xi32>
  %z = arith.constant 0 : i64
  %ey = tensor.empty() : tensor<6x9xi64>
  %i = linalg.fill ins(%z : i64) outs(%ey : tensor<6x9xi64>) -> tensor<6x9xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<6x9x20xi32>) outs(%i : tensor<6x9xi64>) {
  ^bb0(%c: i32, %out: i64):
    %wc = arith.extsi %c : i32 to i64
    %0 = arith.addi %wc, %out : i64
    linalg.yield %0 : i64
  } -> tensor<6x9xi64>
  return %y : tensor<6x9xi64>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: linalg.generic
// CHECK: arith.mul
// CHECK-NEXT: arith.add
// CHECK: return
func.func @narrow(%x: tensor<6x20xbf16>, %w: tensor<9x20xbf16>) -> tensor<6x9xf32> {
  %e = tensor.empty() : tensor<6x9x20xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : tensor<6x20xbf16>, tensor<9x20xbf16>) outs(%e : tensor<6x9x20xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %0 = arith.mulf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<6x9x20xbf16>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<6x9xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<6x9xf32>) -> tensor<6x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<6x9x20xbf16>) outs(%i : tensor<6x9xf32>) {
  ^bb0(%c: bf16, %out: f32):
    %wc = arith.extf %c : bf16 to f32
    %0 = arith.addf %wc, %out : f32
    linalg.yield %0 : f32
  } -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// Each element is read once.
// CHECK-LABEL: func.func @squares(
// CHECK: arith.mul
// CHECK-NEXT: linalg.yield
// CHECK: arith.add
// CHECK: return
func.func @squares(%x: tensor<6x20xf32>, %w: tensor<6x20xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<6x20xf32>, tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x20xf32>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<6x20xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%c: f32, %out: f32):
    %0 = arith.addf %c, %out : f32
    linalg.yield %0 : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// A factor of the sum is none of its terms.
// CHECK-LABEL: func.func @weighted(
// CHECK: arith.mul
// CHECK-NEXT: linalg.yield
// CHECK: arith.add
// CHECK: return
func.func @weighted(%x: tensor<6xf32>, %w: tensor<6x20xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<6xf32>, tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x20xf32>
  %z = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<6x20xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%c: f32, %out: f32):
    %0 = arith.addf %c, %out : f32
    linalg.yield %0 : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @attention(
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: return
// PTX: .entry attention
// PTX-NOT: .entry attention
func.func @attention(%q: tensor<40x16xf32>, %k: tensor<50x16xf32>, %v: tensor<50x16xf32>) -> tensor<40x16xf32> {
  %z = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<40x50x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %k : tensor<40x16xf32>, tensor<50x16xf32>) outs(%e3 : tensor<40x50x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<40x50x16xf32>
  %es = tensor.empty() : tensor<40x50xf32>
  %is = linalg.fill ins(%z : f32) outs(%es : tensor<40x50xf32>) -> tensor<40x50xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<40x50x16xf32>) outs(%is : tensor<40x50xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<40x50xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<40x50xf32>) outs(%es : tensor<40x50xf32>) -> tensor<40x50xf32>
  %pv = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, n)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %v : tensor<40x50xf32>, tensor<50x16xf32>) outs(%e3 : tensor<40x50x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<40x50x16xf32>
  %eo = tensor.empty() : tensor<40x16xf32>
  %io = linalg.fill ins(%z : f32) outs(%eo : tensor<40x16xf32>) -> tensor<40x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, n, d)>, affine_map<(m, n, d) -> (m, d)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%pv : tensor<40x50x16xf32>) outs(%io : tensor<40x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<40x16xf32>
  return %o : tensor<40x16xf32>
}
