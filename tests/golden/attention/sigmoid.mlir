// Weights without softmax exist a tile at a time as well. Shares of a sum of sigmoids are no softmax.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=sigmoid --random --check
// RUN: tcc-attn run %s --func=normalised --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#key = affine_map<(q, k) -> (k)>
// CHECK-LABEL: @sigmoid (
// CHECK-NEXT: kernel 1: 2 products, an elementwise step
// CHECK-NEXT: 1 kernel, with nothing
func.func @sigmoid(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %y = arith.divf %one, %3 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @normalised (
// CHECK-NEXT: kernel 1: 2 products, a reduction
// CHECK-NOT: softmax
func.func @normalised(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %y = arith.divf %one, %3 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) dimensions = [1]
  %shares = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%shares, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}
