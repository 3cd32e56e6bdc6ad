// Masks: causal by positions, so but for a prefix, near keys in either direction, chunks of keys that only see each other,
// or those before, too, a triangle made beforehand, hidden by a large finite number. A mask below a soft cap hides nothing,
// as the cap makes -1 of it: no tile may be left out.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn explain %s --target=nvptx:sm_80 | FileCheck %s
// RUN: tcc-attn run %s --func=causal --random --check
// RUN: tcc-attn run %s --func=prefix --random --check
// RUN: tcc-attn run %s --func=near --random --check
// RUN: tcc-attn run %s --func=chunks --random --check
// RUN: tcc-attn run %s --func=blocks --random --check
// RUN: tcc-attn run %s --func=blocks --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=triangle --random --check
// RUN: tcc-attn run %s --func=large_finite --random --check
// RUN: tcc-attn run %s --func=capped_afterwards --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#key = affine_map<(q, k) -> (k)>
// CHECK-LABEL: @causal (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @causal(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %seen = arith.cmpi sle, %k, %q : index
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @prefix (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @prefix(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %length = arith.constant 70 : index
    %past = arith.cmpi sle, %k, %q : index
    %early = arith.cmpi slt, %k, %length : index
    %seen = arith.ori %past, %early : i1
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @near (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @near(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %reach = arith.constant 37 : index
    %back = arith.subi %q, %k : index
    %distance = math.absi %back : index
    %seen = arith.cmpi slt, %distance, %reach : index
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @chunks (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @chunks(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %size = arith.constant 48 : i64
    %wide_q = arith.index_cast %q : index to i64
    %wide_k = arith.index_cast %k : index to i64
    %own = arith.floordivsi %wide_q, %size : i64
    %its = arith.floordivsi %wide_k, %size : i64
    %same = arith.cmpi eq, %its, %own : i64
    %past = arith.cmpi sle, %k, %q : index
    %seen = arith.andi %same, %past : i1
    %bias = arith.select %seen, %zero, %hidden : f32
    %y = arith.addf %a, %bias : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @blocks (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @blocks(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %size = arith.constant 24 : index
    %own = arith.divui %q, %size : index
    %its = arith.divui %k, %size : index
    %seen = arith.cmpi ule, %its, %own : index
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @triangle (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @triangle(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %eb = tensor.empty() : tensor<200x200xi1>
  %mask = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]}
      outs(%eb : tensor<200x200xi1>) {
  ^bb0(%o: i1):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %y = arith.cmpi sge, %q, %k : index
    linalg.yield %y : i1
  } -> tensor<200x200xi1>
  %masked = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %mask : tensor<200x200xf32>, tensor<200x200xi1>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %y = arith.select %b, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @large_finite (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @large_finite(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %mask: tensor<200x200xi1>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %far = arith.constant -1.0e9 : f32
  %masked = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %mask : tensor<200x200xf32>, tensor<200x200xi1>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %y = arith.select %b, %a, %far : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @capped_afterwards (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @capped_afterwards(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %masked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %seen = arith.cmpi sle, %k, %q : index
    %1 = arith.select %seen, %a, %hidden : f32
    %y = math.tanh %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}
