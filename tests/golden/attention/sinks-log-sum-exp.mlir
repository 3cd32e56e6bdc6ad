// The log-sum-exp of scores and a sink, and their maximum and sum, are made of the statistics of the softmax with that
// sink, in the same kernel: with the sink in the maximum or not, in one body or several, and with a column of sinks.
// The maximum of the scores alone is not among them.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=four_results --random --check
// RUN: tcc-attn run %s --func=below_the_maximum --random --check
// RUN: tcc-attn run %s --func=nothing --random --check
// RUN: tcc-attn run %s --func=column --random --check
// RUN: tcc-attn run %s --func=maximum_alone --random --check
// RUN: tcc-attn run %s --func=four_results --random --check --device=ptx-emu

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#line = affine_map<(q) -> (q)>
// CHECK-LABEL: @four_results (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @four_results(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>,
    %sink: tensor<70xf32>) -> (tensor<70x16xf32>, tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) {
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
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
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
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
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%total, %top : tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<70xf32>
  return %result, %lse, %top, %total : tensor<70x16xf32>, tensor<70xf32>, tensor<70xf32>, tensor<70xf32>
}

// CHECK-LABEL: @below_the_maximum (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @below_the_maximum(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>,
    %sink: tensor<70xf32>) -> (tensor<70x16xf32>, tensor<70xf32>) {
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
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
  %lse = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %sink, %max : tensor<70xf32>, tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.subf %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %a, %2 : f32
    %4 = math.log %3 : f32
    %5 = arith.addf %c, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<70xf32>
  return %result, %lse : tensor<70x16xf32>, tensor<70xf32>
}

// CHECK-LABEL: @nothing (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @nothing(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
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
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%total, %max : tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<70xf32>
  return %result, %lse : tensor<70x16xf32>, tensor<70xf32>
}

// CHECK-LABEL: @column (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @column(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>,
    %sink: tensor<70x1xf32>) -> (tensor<70x16xf32>, tensor<70xf32>) {
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
  %ew = tensor.empty() : tensor<70x301xf32>
  %first = tensor.insert_slice %scores into %ew[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %all = tensor.insert_slice %sink into %first[0, 300] [70, 1] [1, 1] : tensor<70x1xf32> into tensor<70x301xf32>
  %max = linalg.reduce { arith.maximumf } ins(%all : tensor<70x301xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%all, %max : tensor<70x301xf32>, tensor<70xf32>) outs(%ew : tensor<70x301xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x301xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x301xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
  %shares = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<70x301xf32>, tensor<70xf32>) outs(%ew : tensor<70x301xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x301xf32>
  %weights = tensor.extract_slice %shares[0, 0] [70, 300] [1, 1] : tensor<70x301xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<70xf32>, tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<70xf32>
  return %result, %lse : tensor<70x16xf32>, tensor<70xf32>
}

// CHECK-LABEL: @maximum_alone (
// CHECK: kernel 2: a reduction
func.func @maximum_alone(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>,
    %sink: tensor<70xf32>) -> (tensor<70x16xf32>, tensor<70xf32>) {
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
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
  return %result, %max : tensor<70x16xf32>, tensor<70xf32>
}
