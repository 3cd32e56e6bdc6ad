// What is recognised, what shares a kernel, what does not and why, with lines of this file.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn explain %s --fuse=off | FileCheck %s --check-prefix=OFF
// RUN: sh -c 'tcc-attn explain %t.none; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: cannot read

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
func.func @attention(%query: tensor<300x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
    -> tensor<300x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<300x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<300x300xf32>) -> tensor<300x300xf32>
  // CHECK: explain.mlir:[[@LINE+12]]:10: recognised: a softmax along dim 1
  // CHECK-NEXT: @attention ({{.*}}explain.mlir:[[@LINE-6]])
  // CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys (lines [[@LINE+1]], [[@LINE+7]], [[@LINE+15]])
  %scores = linalg.matmul ins(%query, %key : tensor<300x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<300x300xf32>)
      -> tensor<300x300xf32>
  %weights = linalg.exp ins(%scores : tensor<300x300xf32>) outs(%e : tensor<300x300xf32>) -> tensor<300x300xf32>
  %er = tensor.empty() : tensor<300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<300xf32>) -> tensor<300xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<300x300xf32>) outs(%sum0 : tensor<300xf32>) dimensions = [1]
  %quotient = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<300x300xf32>, tensor<300xf32>) outs(%e : tensor<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<300x300xf32>
  %ev = tensor.empty() : tensor<300x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<300x16xf32>) -> tensor<300x16xf32>
  %result = linalg.matmul ins(%quotient, %value : tensor<300x300xf32>, tensor<300x16xf32>)
      outs(%r0 : tensor<300x16xf32>) -> tensor<300x16xf32>
  // CHECK-NEXT: 1 kernel, with nothing in memory between
  // OFF: with tensors in memory between them
  return %result : tensor<300x16xf32>
}
