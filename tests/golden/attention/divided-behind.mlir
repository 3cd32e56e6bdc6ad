// The division by the sum of exponentials behind the product, as kernels written by hand have it: the same softmax. Where
// the divisor is another sum, or one of columns, it only looks like one.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=quotients --random --check
// RUN: tcc-attn run %s --func=reciprocals --random --check
// RUN: tcc-attn run %s --func=another_sum --random --check
// RUN: tcc-attn run %s --func=read_undivided --random --check

#elements = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>

// CHECK-LABEL: @quotients (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @quotients(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x12xf32>)
    -> tensor<70x12xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x12xf32>) -> tensor<70x12xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x12xf32>) outs(%r0 : tensor<70x12xf32>)
      -> tensor<70x12xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x12xf32>, tensor<70xf32>) outs(%ev : tensor<70x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x12xf32>
  return %result : tensor<70x12xf32>
}

// CHECK-LABEL: @reciprocals (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @reciprocals(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x12xf32>)
    -> tensor<70x12xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x12xf32>) -> tensor<70x12xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %inverse = linalg.generic {indexing_maps = [affine_map<(q) -> (q)>, affine_map<(q) -> (q)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %1 = arith.divf %one, %a : f32
    linalg.yield %1 : f32
  } -> tensor<70xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x12xf32>) outs(%r0 : tensor<70x12xf32>)
      -> tensor<70x12xf32>
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %inverse : tensor<70x12xf32>, tensor<70xf32>) outs(%ev : tensor<70x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x12xf32>
  return %result : tensor<70x12xf32>
}

// CHECK-LABEL: @another_sum (
// CHECK-NOT: softmax
func.func @another_sum(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x12xf32>)
    -> tensor<70x12xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x12xf32>) -> tensor<70x12xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x12xf32>) outs(%r0 : tensor<70x12xf32>)
      -> tensor<70x12xf32>
  %others = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<70x300xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %tenth = arith.constant 0.1 : f32
    %1 = arith.mulf %a, %tenth : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%others : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x12xf32>, tensor<70xf32>) outs(%ev : tensor<70x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x12xf32>
  return %result : tensor<70x12xf32>
}

// The product before the division is a result as well: it is made of the quotients (partial.mlir).
// CHECK-LABEL: @read_undivided (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @read_undivided(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x12xf32>)
    -> (tensor<70x12xf32>, tensor<70x12xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x12xf32>) -> tensor<70x12xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x12xf32>) outs(%r0 : tensor<70x12xf32>)
      -> tensor<70x12xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x12xf32>, tensor<70xf32>) outs(%ev : tensor<70x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x12xf32>
  return %result, %product : tensor<70x12xf32>, tensor<70x12xf32>
}
