// On GPUs the longest of several reductions of a product is summed as one of the matrix unit's, the others are loops. They
// were padded to its terms, 16 x 16 x 16 for each sum of 3 x 5 x 7, more than shared memory holds.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --passes=simplify,schedule,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=product --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=integers --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=attention --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=attention --random --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=spirv -o %t

#a = affine_map<(m, n, i, j, k) -> (m, i, j, k)>
#b = affine_map<(m, n, i, j, k) -> (i, j, k, n)>
#c = affine_map<(m, n, i, j, k) -> (m, n)>
// CHECK-LABEL: func.func @product(
// CHECK: scf.for {{.*}} to %c3 step %c1 iter_args
// CHECK: scf.for {{.*}} to %c5 step %c1 iter_args
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<?x1x1x7xf16>, tensor<1x1x7x17xf16>)
func.func @product(%x: tensor<33x3x5x7xf16>, %y: tensor<3x5x7x17xf16>) -> tensor<33x17xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<33x3x5x7xf16>, tensor<3x5x7x17xf16>)
      outs(%f : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}

// The longest is the first one, and longer than a step.
// CHECK-LABEL: func.func @integers(
// CHECK: scf.for {{.*}} to %c100 step %c{{32|64}} iter_args
// CHECK: scf.for {{.*}} to %c3 step %c1 iter_args
// CHECK: scf.for {{.*}} to %c2 step %c1 iter_args
func.func @integers(%x: tensor<33x100x3x2xi8>, %y: tensor<100x3x2x17xi8>) -> tensor<33x17xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x17xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<33x17xi32>) -> tensor<33x17xi32>
  %r = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<33x100x3x2xi8>, tensor<100x3x2x17xi8>)
      outs(%f : tensor<33x17xi32>) -> tensor<33x17xi32>
  return %r : tensor<33x17xi32>
}

// In a loop over keys: features are two halves.
// CHECK-LABEL: func.func @attention(
// CHECK: scf.for {{.*}} to %c100 step
// CHECK: scf.for {{.*}} to %c2 step %c1 iter_args
// CHECK: linalg_ext.softmax
func.func @attention(%q: tensor<40x2x16xf16>, %k: tensor<100x2x16xf16>, %v: tensor<100x32xf16>) -> tensor<40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x100xf32>
  %eh = tensor.empty() : tensor<40x100xf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x100xf32>) -> tensor<40x100xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, i, j) -> (m, i, j)>, affine_map<(m, n, i, j) -> (n, i, j)>,
      affine_map<(m, n, i, j) -> (m, n)>] ins(%q, %k : tensor<40x2x16xf16>, tensor<100x2x16xf16>)
      outs(%s0 : tensor<40x100xf32>) -> tensor<40x100xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<40x100xf32>) outs(%e : tensor<40x100xf32>) -> tensor<40x100xf32>
  %wh = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%w : tensor<40x100xf32>) outs(%eh : tensor<40x100xf16>) {
  ^bb0(%a: f32, %o: f16):
    %h = arith.truncf %a : f32 to f16
    linalg.yield %h : f16
  } -> tensor<40x100xf16>
  %er = tensor.empty() : tensor<40x32xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x32xf32>) -> tensor<40x32xf32>
  %r = linalg.matmul ins(%wh, %v : tensor<40x100xf16>, tensor<100x32xf16>) outs(%r0 : tensor<40x32xf32>) -> tensor<40x32xf32>
  return %r : tensor<40x32xf32>
}
