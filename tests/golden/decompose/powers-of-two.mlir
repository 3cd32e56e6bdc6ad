// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,merge-elementwise,schedule,simplify,decompose-softmax,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,merge-elementwise,schedule,simplify,decompose-softmax,simplify | FileCheck %s --check-prefix=RECIPROCAL
// RUN: tcc-attn run %s --func=scaled --random --check
// RUN: tcc-attn run %s --func=plain --random --check
// RUN: tcc-attn run %s --func=causal --random --check
// RUN: tcc-attn run %s --func=added --random --check
// RUN: tcc-attn run %s --func=finite --random --check
// Exponentials are powers of two where the factor log2(e) can go into a product that scores end in. Elsewhere it would be
// a rounding more; and masks that are added or finite would overflow by it.

// On the host the output is multiplied by one reciprocal a row, in place of a division for each element.
// RECIPROCAL-LABEL: func.func @plain
// RECIPROCAL: scf.yield
// RECIPROCAL: ^bb0(%[[SUM:.*]]: f32, %[[OUT:.*]]: f32):
// RECIPROCAL: %[[ONE_BY:.*]] = arith.divf %{{.*}}, %[[SUM]]
// RECIPROCAL: arith.mulf %[[OUT]], %[[ONE_BY]]

#all = affine_map<(q, k) -> (q, k)>

// CHECK-LABEL: func.func @plain
// CHECK-NOT: math.exp2
// CHECK: math.exp{{ }}
// CHECK-NOT: math.exp2
func.func @plain(%query: tensor<40x8xf32>, %key: tensor<8x300xf32>, %value: tensor<300x8xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.0e+38 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<40x300xf32>
  %er = tensor.empty() : tensor<40x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x8xf32>) -> tensor<40x8xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<40x8xf32>, tensor<8x300xf32>) outs(%s0 : tensor<40x300xf32>)
      -> tensor<40x300xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<40x300xf32>, tensor<300x8xf32>) outs(%r0 : tensor<40x8xf32>)
      -> tensor<40x8xf32>
  return %result : tensor<40x8xf32>
}

// CHECK-LABEL: func.func @scaled
// CHECK: arith.constant 3.6067376e-01 : f32
// CHECK-NOT: math.exp{{ }}
// CHECK: math.exp2 {{.*}}fastmath<afn>
// CHECK: math.exp2 {{.*}}fastmath<afn>
func.func @scaled(%query: tensor<40x8xf32>, %key: tensor<8x300xf32>, %value: tensor<300x8xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.0e+38 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<40x300xf32>
  %er = tensor.empty() : tensor<40x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x8xf32>) -> tensor<40x8xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<40x8xf32>, tensor<8x300xf32>) outs(%s0 : tensor<40x300xf32>)
      -> tensor<40x300xf32>
  %x = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) {
  ^bb0(%s: f32, %out: f32):
    %p = arith.mulf %s, %scale : f32
    linalg.yield %p : f32
  } -> tensor<40x300xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<40x300xf32>, tensor<300x8xf32>) outs(%r0 : tensor<40x8xf32>)
      -> tensor<40x8xf32>
  return %result : tensor<40x8xf32>
}

// CHECK-LABEL: func.func @causal
// CHECK: arith.constant 3.6067376e-01 : f32
// CHECK-NOT: math.exp{{ }}
// CHECK: math.exp2 {{.*}}fastmath<afn>
// CHECK: math.exp2 {{.*}}fastmath<afn>
func.func @causal(%query: tensor<40x8xf32>, %key: tensor<8x300xf32>, %value: tensor<300x8xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.0e+38 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<40x300xf32>
  %er = tensor.empty() : tensor<40x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x8xf32>) -> tensor<40x8xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<40x8xf32>, tensor<8x300xf32>) outs(%s0 : tensor<40x300xf32>)
      -> tensor<40x300xf32>
  %x = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) {
  ^bb0(%s: f32, %out: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %sees = arith.cmpi sge, %q, %k : index
    %p = arith.mulf %s, %scale : f32
    %c = arith.select %sees, %p, %hidden : f32
    linalg.yield %c : f32
  } -> tensor<40x300xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<40x300xf32>, tensor<300x8xf32>) outs(%r0 : tensor<40x8xf32>)
      -> tensor<40x8xf32>
  return %result : tensor<40x8xf32>
}

// CHECK-LABEL: func.func @added
// CHECK-NOT: math.exp2
// CHECK: math.exp{{ }}
// CHECK-NOT: math.exp2
func.func @added(%query: tensor<40x8xf32>, %key: tensor<8x300xf32>, %value: tensor<300x8xf32>, %mask: tensor<40x300xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.0e+38 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<40x300xf32>
  %er = tensor.empty() : tensor<40x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x8xf32>) -> tensor<40x8xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<40x8xf32>, tensor<8x300xf32>) outs(%s0 : tensor<40x300xf32>)
      -> tensor<40x300xf32>
  %x = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %mask : tensor<40x300xf32>, tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) {
  ^bb0(%s: f32, %m: f32, %out: f32):
    %p = arith.mulf %s, %scale : f32
    %c = arith.addf %p, %m : f32
    linalg.yield %c : f32
  } -> tensor<40x300xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<40x300xf32>, tensor<300x8xf32>) outs(%r0 : tensor<40x8xf32>)
      -> tensor<40x8xf32>
  return %result : tensor<40x8xf32>
}

// CHECK-LABEL: func.func @finite
// CHECK-NOT: math.exp2
// CHECK: math.exp{{ }}
// CHECK-NOT: math.exp2
func.func @finite(%query: tensor<40x8xf32>, %key: tensor<8x300xf32>, %value: tensor<300x8xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.0e+38 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<40x300xf32>
  %er = tensor.empty() : tensor<40x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<40x8xf32>) -> tensor<40x8xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<40x8xf32>, tensor<8x300xf32>) outs(%s0 : tensor<40x300xf32>)
      -> tensor<40x300xf32>
  %x = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) {
  ^bb0(%s: f32, %out: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %sees = arith.cmpi sge, %q, %k : index
    %p = arith.mulf %s, %scale : f32
    %c = arith.select %sees, %p, %low : f32
    linalg.yield %c : f32
  } -> tensor<40x300xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<40x300xf32>) outs(%e : tensor<40x300xf32>) -> tensor<40x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<40x300xf32>, tensor<300x8xf32>) outs(%r0 : tensor<40x8xf32>)
      -> tensor<40x8xf32>
  return %result : tensor<40x8xf32>
}
