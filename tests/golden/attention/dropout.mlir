// Weights that are multiplied, or 0 by choice, on their way to the second product (dropout with a given mask) are still
// those of a softmax that runs along; weights that are squared, added to or replaced are not, and wait for whole rows.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=dropout --random --check
// RUN: tcc-attn run %s --func=selected --random --check
// RUN: tcc-attn run %s --func=replaced --random --check
// RUN: tcc-attn run %s --func=squares --random --check
// RUN: tcc-attn run %s --func=sums --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
// CHECK-LABEL: @dropout
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing
func.func @dropout(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %keep: tensor<70x300xi1>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %left = arith.constant 0.75 : f32
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %kept = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %keep : tensor<70x300xf32>, tensor<70x300xi1>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %1 = arith.uitofp %b : i1 to f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.divf %2, %left : f32
    linalg.yield %3 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%kept, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @selected
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing
func.func @selected(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %keep: tensor<70x300xi1>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %left = arith.constant 0.75 : f32
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %kept = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %keep : tensor<70x300xf32>, tensor<70x300xi1>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %1 = arith.divf %a, %left : f32
    %3 = arith.select %b, %1, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%kept, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @replaced
// CHECK-NEXT: {{.*}}a softmax of whole rows
func.func @replaced(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %keep: tensor<70x300xi1>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %left = arith.constant 0.75 : f32
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %kept = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %keep : tensor<70x300xf32>, tensor<70x300xi1>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %3 = arith.select %b, %a, %left : f32
    linalg.yield %3 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%kept, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @squares
// CHECK-NEXT: {{.*}}a softmax of whole rows
func.func @squares(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %kept = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %weights : tensor<70x300xf32>, tensor<70x300xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%kept, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @sums
// CHECK-NEXT: {{.*}}a softmax of whole rows
func.func @sums(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %bias: tensor<70x300xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %kept = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %bias : tensor<70x300xf32>, tensor<70x300xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%kept, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}
