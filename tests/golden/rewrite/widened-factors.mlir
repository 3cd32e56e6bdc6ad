// What products read is narrow where it was only widened before; scales of what is bounded go to the result or to the
// other factor.
// RUN: tcc-attn opt %s --passes=move-factors,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check --device=ptx-emu || exit 1; done'

#rk = affine_map<(r, n, k) -> (r, k)>
#nk = affine_map<(r, n, k) -> (n, k)>
#rn = affine_map<(r, n, k) -> (r, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @both_widened(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<33x40xbf16>, tensor<70x40xbf16>)
// CHECK-NEXT: ^bb0
// CHECK-COUNT-2: arith.extf
// CHECK: return
func.func @both_widened(%x: tensor<33x40xbf16>, %w: tensor<70x40xbf16>) -> tensor<33x70xf32> {
  %x_empty = tensor.empty() : tensor<33x40xf32>
  %x_wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<33x40xbf16>) outs(%x_empty : tensor<33x40xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %number = arith.extf %a : bf16 to f32
    linalg.yield %number : f32
  } -> tensor<33x40xf32>
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x40xbf16>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %number = arith.extf %a : bf16 to f32
    linalg.yield %number : f32
  } -> tensor<70x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x_wide, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%f : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

// CHECK-LABEL: func.func @scale_of_rows(
// CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<33x40xf32>, tensor<70x40xi8>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.sitofp
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %arg2 : tensor<33x70xf32>, tensor<70xf32>)
func.func @scale_of_rows(%x: tensor<33x40xf32>, %w: tensor<70x40xi8>, %w_scale: tensor<70xf32>) -> tensor<33x70xf32> {
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %w_scale : tensor<70x40xi8>, tensor<70xf32>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: i8, %s: f32, %o: f32):
    %number = arith.sitofp %a : i8 to f32
    %p = arith.mulf %number, %s : f32
    linalg.yield %p : f32
  } -> tensor<70x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%f : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

// CHECK-LABEL: func.func @scale_of_terms(
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%arg0, %arg2 : tensor<33x40xf32>, tensor<40xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SCALED]], %arg1 : tensor<33x40xf32>, tensor<70x40xf16>)
func.func @scale_of_terms(%x: tensor<33x40xf32>, %w: tensor<70x40xf16>, %w_scale: tensor<40xf32>) -> tensor<33x70xf32> {
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %w_scale : tensor<70x40xf16>, tensor<40xf32>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: f16, %s: f32, %o: f32):
    %number = arith.extf %a : f16 to f32
    %p = arith.mulf %number, %s : f32
    linalg.yield %p : f32
  } -> tensor<70x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%f : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

// Products of bf16 with factors that have no scale could overflow.
// CHECK-LABEL: func.func @not_bounded(
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%arg1, %arg2 : tensor<70x40xbf16>, tensor<70xf32>)
// CHECK: ins(%arg0, %[[SCALED]] :
func.func @not_bounded(%x: tensor<33x40xf32>, %w: tensor<70x40xbf16>, %w_scale: tensor<70xf32>) -> tensor<33x70xf32> {
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %w_scale : tensor<70x40xbf16>, tensor<70xf32>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: bf16, %s: f32, %o: f32):
    %number = arith.extf %a : bf16 to f32
    %p = arith.mulf %number, %s : f32
    linalg.yield %p : f32
  } -> tensor<70x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%f : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

// CHECK-LABEL: func.func @unsigned(
// CHECK: arith.uitofp
// CHECK: ins(%arg0, %{{.*}} : tensor<33x40xf32>, tensor<70x40xf32>)
func.func @unsigned(%x: tensor<33x40xf32>, %w: tensor<70x40xi8>) -> tensor<33x70xf32> {
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x40xi8>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: i8, %o: f32):
    %number = arith.uitofp %a : i8 to f32
    linalg.yield %number : f32
  } -> tensor<70x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%f : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

// The sum starts from something that no scale is for.
// CHECK-LABEL: func.func @added_to(
// CHECK: arith.mulf
// CHECK: ins(%arg0, %{{.*}} : tensor<33x40xf32>, tensor<70x40xf32>) outs(%arg3
func.func @added_to(%x: tensor<33x40xf32>, %w: tensor<70x40xi8>, %w_scale: tensor<70xf32>, %start: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %w_empty = tensor.empty() : tensor<70x40xf32>
  %w_wide = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %w_scale : tensor<70x40xi8>, tensor<70xf32>) outs(%w_empty : tensor<70x40xf32>) {
  ^bb0(%a: i8, %s: f32, %o: f32):
    %number = arith.sitofp %a : i8 to f32
    %p = arith.mulf %number, %s : f32
    linalg.yield %p : f32
  } -> tensor<70x40xf32>
  %c = linalg.matmul indexing_maps = [#rk, #nk, #rn] ins(%x, %w_wide : tensor<33x40xf32>, tensor<70x40xf32>) outs(%start : tensor<33x70xf32>) -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}
