// Attention sinks: one more exponential in the sum is a score that takes weight but has no value. It may be compared with the
// maximum or not; a sink of 0 is the softmax that can say "nothing". An exponential that is shifted otherwise is something else.
// The sum without that exponential is still what the program says.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=sink --random --check
// RUN: tcc-attn run %s --func=sink_below_the_maximum --random --check
// RUN: tcc-attn run %s --func=nothing --random --check
// RUN: tcc-attn run %s --func=sum_besides --random --check
// RUN: tcc-attn run %s --func=otherwise --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#line = affine_map<(q) -> (q)>
// CHECK-COUNT-4: recognised: a softmax along dim 1 with a sink
// CHECK-NOT: recognised: a softmax
// CHECK-LABEL: @sink (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing
func.func @sink(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %top = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%max, %sink : tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.maximumf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70xf32>
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %top : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %total = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %sink, %top : tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.subf %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<70xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @sink_below_the_maximum (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing
func.func @sink_below_the_maximum(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %total = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %sink, %max : tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.subf %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<70xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @nothing (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK: 1 kernel, with nothing
func.func @nothing(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %total = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.negf %b : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %a : f32
    linalg.yield %3 : f32
  } -> tensor<70xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @sum_besides (
func.func @sum_besides(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70xf32>)
    -> (tensor<70x16xf32>, tensor<70xf32>) {
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %total = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %sink, %max : tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.subf %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<70xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result, %sum : tensor<70x16xf32>, tensor<70xf32>
}

// CHECK-LABEL: @otherwise (
// CHECK-NEXT: kernel 1: 2 products, 2 reductions
func.func @otherwise(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %total = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max, %sink : tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.subf %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<70xf32>
  %weights = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}
