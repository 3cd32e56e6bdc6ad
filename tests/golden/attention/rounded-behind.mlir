// The division by the sum of exponentials behind the product, which reads these rounded to 16 bits, and the log-sum-exp
// as a result: the same softmax, whose statistics both come from. The sum of what was rounded is another one.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=two_results --random --dims=70,300,300 --check
// RUN: tcc-attn run %s --func=two_results --random --dims=1,77,77 --check
// RUN: tcc-attn run %s --func=one_step --random --check
// RUN: tcc-attn run %s --func=sum_of_rounded --random --check
// RUN: tcc-attn run %s --func=one_step --random --check --device=ptx-emu

#elements = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#line = affine_map<(q) -> (q)>
// CHECK-COUNT-2: recognised: a softmax along dim 1
// CHECK-NOT: recognised: a softmax
// CHECK-LABEL: @two_results (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @two_results(%query: tensor<?x16xbf16>, %key: tensor<16x?xbf16>, %value: tensor<?x16xbf16>)
    -> (tensor<?x16xbf16>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = tensor.dim %query, %c0 : tensor<?x16xbf16>
  %k = tensor.dim %key, %c1 : tensor<16x?xbf16>
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty(%q, %k) : tensor<?x?xf32>
  %er = tensor.empty(%q) : tensor<?xf32>
  %ev = tensor.empty(%q) : tensor<?x16xf32>
  %en = tensor.empty(%q, %k) : tensor<?x?xbf16>
  %eo = tensor.empty(%q) : tensor<?x16xbf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<?x16xf32>) -> tensor<?x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<?x16xbf16>, tensor<16x?xbf16>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %masked = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi sle, %j, %i : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %narrow = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%powers : tensor<?x?xf32>) outs(%en : tensor<?x?xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<?x?xbf16>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<?x?xf32>) outs(%sum0 : tensor<?xf32>) dimensions = [1]
  %product = linalg.matmul ins(%narrow, %value : tensor<?x?xbf16>, tensor<?x16xbf16>) outs(%r0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %quotients = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<?x16xf32>, tensor<?xf32>) outs(%ev : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x16xf32>
  %result = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%quotients : tensor<?x16xf32>) outs(%eo : tensor<?x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<?x16xbf16>
  %lse = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<?xf32>, tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.log %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %result, %lse : tensor<?x16xbf16>, tensor<?xf32>
}

// CHECK-LABEL: @one_step (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @one_step(%query: tensor<70x16xf16>, %key: tensor<16x300xf16>, %value: tensor<300x16xf16>)
    -> tensor<70x16xf16> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %en = tensor.empty() : tensor<70x300xf16>
  %eo = tensor.empty() : tensor<70x16xf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf16>, tensor<16x300xf16>) outs(%s0 : tensor<70x300xf32>) -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %narrow = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%powers : tensor<70x300xf32>) outs(%en : tensor<70x300xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<70x300xf16>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %product = linalg.matmul ins(%narrow, %value : tensor<70x300xf16>, tensor<300x16xf16>) outs(%r0 : tensor<70x16xf32>) -> tensor<70x16xf32>
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x16xf32>, tensor<70xf32>) outs(%eo : tensor<70x16xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<70x16xf16>
  return %result : tensor<70x16xf16>
}

// CHECK-LABEL: @sum_of_rounded (
// CHECK-NOT: softmax
// CHECK: 1 kernel
func.func @sum_of_rounded(%query: tensor<70x16xbf16>, %key: tensor<16x300xbf16>, %value: tensor<300x16xbf16>)
    -> tensor<70x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %er = tensor.empty() : tensor<70xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %en = tensor.empty() : tensor<70x300xbf16>
  %eo = tensor.empty() : tensor<70x16xbf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xbf16>, tensor<16x300xbf16>) outs(%s0 : tensor<70x300xf32>) -> tensor<70x300xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %narrow = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%powers : tensor<70x300xf32>) outs(%en : tensor<70x300xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<70x300xbf16>
  %wide = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%narrow : tensor<70x300xbf16>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<70x300xf32>
  %sum = linalg.reduce { arith.addf } ins(%wide : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>) dimensions = [1]
  %product = linalg.matmul ins(%narrow, %value : tensor<70x300xbf16>, tensor<300x16xbf16>) outs(%r0 : tensor<70x16xf32>) -> tensor<70x16xf32>
  %result = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x16xf32>, tensor<70xf32>) outs(%eo : tensor<70x16xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<70x16xbf16>
  return %result : tensor<70x16xbf16>
}
