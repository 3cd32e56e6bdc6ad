// Attention whose scale, mask, softmax and end are spelled with named elementwise ops, with maps of their own where an
// input lacks a dim: one kernel on the host and on a GPU.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --random --check --verify
// RUN: tcc-attn run %s --random --check --target=nvptx:sm_90 --device=ptx-emu
// CHECK: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing in memory between
#all = affine_map<(h, q, k) -> (h, q, k)>
#mask = affine_map<(h, q, k) -> (q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
#one = affine_map<(h, q, k) -> ()>
func.func @attention(%q: tensor<2x70x32xf32>, %k: tensor<2x32x150xf32>, %v: tensor<2x150x32xf32>, %mask: tensor<70x150xi1>, %gate: tensor<2x70xf32>) -> tensor<2x70x32xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %half = arith.constant 0.5 : f32
  %hidden = arith.constant dense<-1.0e30> : tensor<2x70x150xf32>
  %e = tensor.empty() : tensor<2x70x150xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x70x32xf32>, tensor<2x32x150xf32>) outs(%s0 : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %scaled = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#all, #one, #all] ins(%s, %half : tensor<2x70x150xf32>, f32) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %masked = linalg.elementwise kind=#linalg.elementwise_kind<select> indexing_maps = [#mask, #all, #all, #all] ins(%mask, %scaled, %hidden : tensor<70x150xi1>, tensor<2x70x150xf32>, tensor<2x70x150xf32>) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %r = tensor.empty() : tensor<2x70xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%r : tensor<2x70xf32>) -> tensor<2x70xf32>
  %m = linalg.reduce { arith.maximumf } ins(%masked : tensor<2x70x150xf32>) outs(%m0 : tensor<2x70xf32>) dimensions = [2]
  %less = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#all, #row, #all] ins(%masked, %m : tensor<2x70x150xf32>, tensor<2x70xf32>) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %p = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%less : tensor<2x70x150xf32>) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x70xf32>) -> tensor<2x70xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<2x70x150xf32>) outs(%l0 : tensor<2x70xf32>) dimensions = [2]
  %inverse = linalg.reciprocal ins(%l : tensor<2x70xf32>) outs(%r : tensor<2x70xf32>) -> tensor<2x70xf32>
  %w = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#all, #row, #all] ins(%p, %inverse : tensor<2x70x150xf32>, tensor<2x70xf32>) outs(%e : tensor<2x70x150xf32>) -> tensor<2x70x150xf32>
  %o = tensor.empty() : tensor<2x70x32xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%o : tensor<2x70x32xf32>) -> tensor<2x70x32xf32>
  %a = linalg.batch_matmul ins(%w, %v : tensor<2x70x150xf32>, tensor<2x150x32xf32>) outs(%o0 : tensor<2x70x32xf32>) -> tensor<2x70x32xf32>
  %square = linalg.square ins(%a : tensor<2x70x32xf32>) outs(%o : tensor<2x70x32xf32>) -> tensor<2x70x32xf32>
  %gated = linalg.elementwise kind=#linalg.elementwise_kind<max_signed> indexing_maps = [#all, #row, #all] ins(%square, %gate : tensor<2x70x32xf32>, tensor<2x70xf32>) outs(%o : tensor<2x70x32xf32>) -> tensor<2x70x32xf32>
  return %gated : tensor<2x70x32xf32>
}
