// Two products with the same weights are one kernel, whose loop over keys computes both; so are three. Products that need
// each other are not: the second can only begin when the first is done.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=two --random --check
// RUN: tcc-attn run %s --func=three --random --check
// RUN: tcc-attn run %s --func=chain --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
// CHECK-LABEL: @two
// CHECK-NEXT: kernel 1: attention: 3 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @two(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %other: tensor<300x16xf32>)
    -> (tensor<70x16xf32>, tensor<70x16xf32>) {
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
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %more = linalg.matmul ins(%weights, %other : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result, %more : tensor<70x16xf32>, tensor<70x16xf32>
}

// CHECK-LABEL: @three
// CHECK-NEXT: kernel 1: attention: 4 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @three(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %other: tensor<300x16xf32>, %third: tensor<300x16xf32>)
    -> (tensor<70x16xf32>, tensor<70x16xf32>, tensor<70x16xf32>) {
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
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %last = linalg.matmul ins(%weights, %third : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %more = linalg.matmul ins(%weights, %other : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result, %more, %last : tensor<70x16xf32>, tensor<70x16xf32>, tensor<70x16xf32>
}

// CHECK-LABEL: @chain
// CHECK: kernel 2
func.func @chain(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %back: tensor<300x70xf32>)
    -> (tensor<70x16xf32>, tensor<70x16xf32>) {
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
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %eu = tensor.empty() : tensor<300x16xf32>
  %u0 = linalg.fill ins(%zero : f32) outs(%eu : tensor<300x16xf32>) -> tensor<300x16xf32>
  %next = linalg.matmul ins(%back, %result : tensor<300x70xf32>, tensor<70x16xf32>) outs(%u0 : tensor<300x16xf32>)
      -> tensor<300x16xf32>
  %more = linalg.matmul ins(%weights, %next : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result, %more : tensor<70x16xf32>, tensor<70x16xf32>
}
