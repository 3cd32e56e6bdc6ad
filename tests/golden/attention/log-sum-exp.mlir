// The log-sum-exp of the scores as a second result comes from the statistics of the softmax, in the same kernel, wherever it
// stands in the program; so do the maximum and the sum themselves, and a sum of exponentials that are relative to something else than the
// maximum. What is made of other scores is computed by itself.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=two_results --random --check
// RUN: tcc-attn run %s --func=four_results --random --check
// RUN: tcc-attn run %s --func=another_maximum --random --check
// RUN: tcc-attn run %s --func=finite_maximum --random --check
// RUN: tcc-attn run %s --func=other_scores --random --check
// RUN: tcc-attn run %s --func=with_number --random --check
// RUN: tcc-attn run %s --func=two_results --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=finite_maximum --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=other_scores --random --check --device=ptx-emu

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#key = affine_map<(q, k) -> (k)>
#line = affine_map<(q) -> (q)>
// CHECK-LABEL: @two_results (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys, an elementwise step
// CHECK-NEXT: 1 kernel, with nothing
func.func @two_results(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> (tensor<200x16xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %y = math.exp %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<200xf32>, tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %y = arith.addf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  return %result, %lse : tensor<200x16xf32>, tensor<200xf32>
}

// CHECK-LABEL: @four_results (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys, 2 elementwise steps
// CHECK-NEXT: 1 kernel, with nothing
func.func @four_results(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> (tensor<200x16xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %y = math.exp %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<200xf32>, tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %y = arith.addf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result, %lse, %max, %sum : tensor<200x16xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>
}

// CHECK-LABEL: @another_maximum (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys, an elementwise step
// CHECK-NEXT: 1 kernel, with nothing
func.func @another_maximum(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %other: tensor<200xf32>)
    -> (tensor<200x16xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %other : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %y = math.exp %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<200xf32>, tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %y = arith.addf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  return %result, %lse : tensor<200x16xf32>, tensor<200xf32>
}

// The log-sum-exp by itself, as frameworks spell it, before the softmax: what is subtracted is 0 where the maximum is infinite.
// CHECK-LABEL: @finite_maximum (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys, 2 elementwise steps
// CHECK-NEXT: 1 kernel, with nothing
func.func @finite_maximum(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %mask: tensor<200x200xf32>)
    -> (tensor<200x16xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %product = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %scores = linalg.add ins(%product, %mask : tensor<200x200xf32>, tensor<200x200xf32>) outs(%e : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) dimensions = [1]
  %finite = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%max : tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.absf %a : f32
    %2 = arith.cmpf oeq, %1, %infinity : f32
    %y = arith.select %2, %zero, %a : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores, %finite : tensor<200x200xf32>, tensor<200xf32>) outs(%sum0 : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    %y = arith.addf %o, %2 : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %finite : tensor<200xf32>, tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %y = arith.addf %1, %b : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result, %lse : tensor<200x16xf32>, tensor<200xf32>
}

// The maximum of the scores' squares is none of the softmax's statistics, and neither is the sum of powers of two.
// CHECK-LABEL: @other_scores (
// CHECK: kernel 2: a reduction
// CHECK: kernel 3: a reduction
func.func @other_scores(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> (tensor<200x16xf32>, tensor<200xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    %y = arith.maximumf %o, %1 : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp2 %a : f32
    %y = arith.addf %o, %1 : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result, %max, %sum : tensor<200x16xf32>, tensor<200xf32>, tensor<200xf32>
}

// A number that the body takes from outside comes before the kernel, too.
// CHECK-LABEL: @with_number (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys, an elementwise step
// CHECK-NEXT: 1 kernel, with nothing
func.func @with_number(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %t: tensor<f32>)
    -> (tensor<200x16xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %er = tensor.empty() : tensor<200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %max0 = linalg.fill ins(%hidden : f32) outs(%er : tensor<200xf32>) -> tensor<200xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<200x200xf32>) outs(%max0 : tensor<200xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %y = math.exp %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<200x200xf32>) outs(%sum0 : tensor<200xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<200x200xf32>, tensor<200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  %c0 = arith.constant 0 : index
  %number = tensor.extract %t[] : tensor<f32>
  %first = math.exp %number : f32
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<200xf32>, tensor<200xf32>) outs(%er : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %y0 = arith.addf %1, %b : f32
    %y = arith.addf %y0, %first : f32
    linalg.yield %y : f32
  } -> tensor<200xf32>
  return %result, %lse : tensor<200x16xf32>, tensor<200xf32>
}
