// Masks of finite numbers in front of a factor: rows that see nothing are means of all values, and where the factor is
// negative, what is hidden has all the weight. The numbers are huge, as they are rounded for the maximum: so they are
// for the exponents.
// RUN: tcc-attn run %s --func=empty_rows --random --check
// RUN: tcc-attn run %s --func=empty_rows --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=empty_rows --random --check --device=ptx-emu --target=nvptx:sm_90a
// RUN: tcc-attn run %s --func=negative --random --check
// RUN: tcc-attn run %s --func=negative --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=negative --random --check --device=ptx-emu --target=nvptx:sm_90a
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --emit=ptx -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=spirv:generic --emit=llvm -o - | FileCheck %s --check-prefix=SPIRV
// CHECK: mul.rn.f32 {{.*}}, 0f3E99999A
// CHECK: mul.rn.f32 {{.*}}, 0fBE99999A
// SPIRV-NOT: opencl.enable.FP_CONTRACT

#all = affine_map<(i, j) -> (i, j)>
func.func @empty_rows(%q: tensor<70x16xf16>, %k: tensor<90x16xf16>, %v: tensor<90x16xf16>) -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<70x90xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<70x90xf32>) -> tensor<70x90xf32>
  %p = linalg_ext.batch_matmul ins(%q, %k : tensor<70x16xf16>, tensor<90x16xf16>) outs(%s0 : tensor<70x90xf32>) layout = "nt" -> tensor<70x90xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<70x90xf32>) outs(%se : tensor<70x90xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %far = arith.constant 5 : index
    %before = arith.addi %j, %far : index
    %seen = arith.cmpi sge, %i, %before : index
    %scale = arith.constant 0.3 : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %h = arith.select %seen, %x, %lowest : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<70x90xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<70x90xf32>) outs(%se : tensor<70x90xf32>) -> tensor<70x90xf32>
  %we = tensor.empty() : tensor<70x90xf16>
  %wh = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x90xf32>) outs(%we : tensor<70x90xf16>) {
  ^bb0(%x: f32, %o: f16):
    %r = arith.truncf %x : f32 to f16
    linalg.yield %r : f16
  } -> tensor<70x90xf16>
  %re = tensor.empty() : tensor<70x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<70x16xf32>) -> tensor<70x16xf32>
  %r = linalg.matmul ins(%wh, %v : tensor<70x90xf16>, tensor<90x16xf16>) outs(%r0 : tensor<70x16xf32>) -> tensor<70x16xf32>
  return %r : tensor<70x16xf32>
}

func.func @negative(%q: tensor<70x16xf16>, %k: tensor<90x16xf16>, %v: tensor<90x16xf16>) -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<70x90xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<70x90xf32>) -> tensor<70x90xf32>
  %p = linalg_ext.batch_matmul ins(%q, %k : tensor<70x16xf16>, tensor<90x16xf16>) outs(%s0 : tensor<70x90xf32>) layout = "nt" -> tensor<70x90xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<70x90xf32>) outs(%se : tensor<70x90xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %none = arith.constant 0.0 : f32
    %negative = arith.constant -0.3 : f32
    %low = arith.constant -1.0e9 : f32
    %h = arith.select %seen, %none, %low : f32
    %a = arith.addf %x, %h : f32
    %r = arith.mulf %a, %negative : f32
    linalg.yield %r : f32
  } -> tensor<70x90xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<70x90xf32>) outs(%se : tensor<70x90xf32>) -> tensor<70x90xf32>
  %we = tensor.empty() : tensor<70x90xf16>
  %wh = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x90xf32>) outs(%we : tensor<70x90xf16>) {
  ^bb0(%x: f32, %o: f16):
    %r = arith.truncf %x : f32 to f16
    linalg.yield %r : f16
  } -> tensor<70x90xf16>
  %re = tensor.empty() : tensor<70x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<70x16xf32>) -> tensor<70x16xf32>
  %r = linalg.matmul ins(%wh, %v : tensor<70x90xf16>, tensor<90x16xf16>) outs(%r0 : tensor<70x16xf32>) -> tensor<70x16xf32>
  return %r : tensor<70x16xf32>
}
