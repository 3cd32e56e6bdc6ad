// What a part of attention hands on to be merged with others: the product with the exponentials, undivided, the maximum
// and the sum. It is a softmax whose numerators are not divided, in one kernel, with rounded exponentials and with a
// shift that is made of the maximum as well. Where the exponentials are a result, too, or nobody wants their sum, rows
// are computed whole.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn compile %s --dump=decompose-softmax -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNDIVIDED
// RUN: tcc-attn run %s --func=three_results --random --check
// RUN: tcc-attn run %s --func=guarded --random --dims=70,300,300 --check
// RUN: tcc-attn run %s --func=guarded --random --dims=1,77,77 --check
// RUN: tcc-attn run %s --func=divided_besides --random --check
// RUN: tcc-attn run %s --func=exponentials --random --check
// RUN: tcc-attn run %s --func=no_sum --random --check
// RUN: tcc-attn run %s --func=three_results --random --check --device=ptx-emu

#elements = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#line = affine_map<(q) -> (q)>
// CHECK-COUNT-3: recognised: a softmax whose numerators nobody divides
// CHECK-NOT: recognised: a softmax
// CHECK-LABEL: @three_results (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
// UNDIVIDED-LABEL: func.func @three_results(
// UNDIVIDED: math.exp
// UNDIVIDED-NOT: arith.divf
// UNDIVIDED: return
func.func @three_results(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
    -> (tensor<70x16xf32>, tensor<70xf32>, tensor<70xf32>) {
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
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
  return %product, %max, %sum : tensor<70x16xf32>, tensor<70xf32>, tensor<70xf32>
}

// CHECK-LABEL: @guarded (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @guarded(%query: tensor<?x16xbf16>, %key: tensor<16x?xbf16>, %value: tensor<?x16xbf16>)
    -> (tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>) {
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
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<?x16xf32>) -> tensor<?x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<?x16xbf16>, tensor<16x?xbf16>) outs(%s0 : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %masked = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi slt, %j, %i : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>)
      dimensions = [1]
  %finite = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%max : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.cmpf oeq, %a, %lowest : f32
    %2 = arith.select %1, %zero, %a : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %finite : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
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
  %product = linalg.matmul ins(%narrow, %value : tensor<?x?xbf16>, tensor<?x16xbf16>) outs(%r0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<?x?xf32>) outs(%sum0 : tensor<?xf32>)
      dimensions = [1]
  return %product, %max, %sum : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: @divided_besides (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @divided_besides(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
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
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%max0 : tensor<70xf32>)
      dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
  %quotients = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<70x16xf32>, tensor<70xf32>) outs(%ev : tensor<70x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<70x16xf32>
  return %product, %quotients : tensor<70x16xf32>, tensor<70x16xf32>
}

// CHECK-LABEL: @exponentials (
// CHECK-NOT: softmax
func.func @exponentials(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
    -> (tensor<70x16xf32>, tensor<70xf32>, tensor<70x300xf32>) {
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
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum0 : tensor<70xf32>)
      dimensions = [1]
  return %product, %sum, %powers : tensor<70x16xf32>, tensor<70xf32>, tensor<70x300xf32>
}

// CHECK-LABEL: @no_sum (
// CHECK-NOT: softmax
// CHECK: 1 kernel, with nothing
func.func @no_sum(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>)
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
  %powers = linalg.generic {indexing_maps = [#elements, #row, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<70x300xf32>, tensor<70xf32>) outs(%e : tensor<70x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70x300xf32>
  %product = linalg.matmul ins(%powers, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %product, %max : tensor<70x16xf32>, tensor<70xf32>
}
