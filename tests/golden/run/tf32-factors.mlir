// Products in tf32 round factors that are computed, too, where no argument is f32; without tf32 nothing more is allowed.
// RUN: tcc-attn run %s --random --check --f32=tf32 --target=nvptx:sm_80 --device=ptx-emu | FileCheck %s
// RUN: tcc-attn run %s --random --check --device=ptx-emu | FileCheck %s
// RUN: tcc-attn run %s --random --check | FileCheck %s

// CHECK: : good
func.func @f(%a: tensor<32x32xbf16>, %b: tensor<32x32xbf16>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<32x32xbf16>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %w = arith.extf %p : bf16 to f32
    %y = math.exp %w : f32
    linalg.yield %y : f32
  } -> tensor<32x32xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<32x32xbf16>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %w = arith.extf %p : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%x, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
