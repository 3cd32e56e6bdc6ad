// Scales that vary: with the query, with the key, of the weights. What is divided by a weight is no scaled weight.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=by_query --random --check
// RUN: tcc-attn run %s --func=by_key --random --check
// RUN: tcc-attn run %s --func=of_weights --random --check
// RUN: tcc-attn run %s --func=upside_down --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#key = affine_map<(q, k) -> (k)>
// CHECK-LABEL: @by_query (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @by_query(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %scale: tensor<200xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %scale : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %quarter : f32
    %y = arith.mulf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%scaled : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @by_key (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @by_key(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %scale: tensor<200xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #key, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %scale : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %quarter : f32
    %y = arith.mulf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%scaled : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @of_weights (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @of_weights(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %scale: tensor<200xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #key, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %scale : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%scaled, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @upside_down (
// CHECK-NEXT: {{.*}}a softmax of whole rows
func.func @upside_down(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %scale: tensor<200xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #key, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %scale : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %one : f32
    %y = arith.divf %b, %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%scaled, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}
