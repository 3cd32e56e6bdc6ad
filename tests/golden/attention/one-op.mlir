// Attention as one op: products, softmax and what is between, fused like those of other spellings.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=masked --random --check
// RUN: tcc-attn run %s --func=half --random --check
// RUN: tcc-attn run %s --func=scored --random --check
// RUN: tcc-attn run %s --func=first --random --check
// RUN: tcc-attn run %s --func=next --random --check
// RUN: tcc-attn run %s --func=next --random --check --device=ptx-emu

#query = affine_map<(batch, q, k, d, n) -> (batch, q, d)>
#key = affine_map<(batch, q, k, d, n) -> (batch, k, d)>
#value = affine_map<(batch, q, k, d, n) -> (batch, k, n)>
#scale = affine_map<(batch, q, k, d, n) -> ()>
#mask = affine_map<(batch, q, k, d, n) -> (q, k)>
#result = affine_map<(batch, q, k, d, n) -> (batch, q, n)>
#transposed = affine_map<(batch, q, k, d, n) -> (n, batch, q)>
#row = affine_map<(batch, q, k, d, n) -> (batch, q)>
#all = affine_map<(batch, q, n) -> (batch, q, n)>
#rows = affine_map<(batch, q, n) -> (batch, q)>

// CHECK-LABEL: @masked (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @masked(%query: tensor<2x40x8xf32>, %key: tensor<2x300x8xf32>, %value: tensor<2x300x6xf32>, %scale: f32,
                  %mask: tensor<40x300xi1>) -> tensor<2x40x6xf32> {
  %out = tensor.empty() : tensor<2x40x6xf32>
  %result = iree_linalg_ext.attention {indexing_maps = [#query, #key, #value, #scale, #mask, #result]}
      ins(%query, %key, %value, %scale, %mask : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32,
          tensor<40x300xi1>) outs(%out : tensor<2x40x6xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>
  return %result : tensor<2x40x6xf32>
}

// CHECK-LABEL: @half (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @half(%query: tensor<2x40x8xf16>, %key: tensor<2x300x8xf16>, %value: tensor<2x300x6xf16>,
                %mask: tensor<40x300xf16>) -> tensor<6x2x40xf16> {
  %scale = arith.constant 0.35 : f16
  %out = tensor.empty() : tensor<6x2x40xf16>
  %result = iree_linalg_ext.attention {indexing_maps = [#query, #key, #value, #scale, #mask, #transposed]}
      ins(%query, %key, %value, %scale, %mask : tensor<2x40x8xf16>, tensor<2x300x8xf16>, tensor<2x300x6xf16>, f16,
          tensor<40x300xf16>) outs(%out : tensor<6x2x40xf16>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<6x2x40xf16>
  return %result : tensor<6x2x40xf16>
}

// CHECK-LABEL: @scored (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @scored(%query: tensor<2x?x8xf32>, %key: tensor<2x?x8xf32>, %value: tensor<2x?x6xf32>)
    -> tensor<2x?x6xf32> {
  %scale = arith.constant 0.35 : f32
  %cap = arith.constant 5.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %query, %c1 : tensor<2x?x8xf32>
  %out = tensor.empty(%rows) : tensor<2x?x6xf32>
  %result = iree_linalg_ext.attention {indexing_maps = [#query, #key, #value, #scale, #result]}
      ins(%query, %key, %value, %scale : tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x6xf32>, f32)
      outs(%out : tensor<2x?x6xf32>) {
  ^bb0(%score: f32):
    %q = iree_linalg_ext.index 1 : index
    %k = iree_linalg_ext.index 2 : index
    %1 = arith.divf %score, %cap : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %2, %cap : f32
    %seen = arith.cmpi sge, %q, %k : index
    %4 = arith.select %seen, %3, %hidden : f32
    iree_linalg_ext.yield %4 : f32
  } -> tensor<2x?x6xf32>
  return %result : tensor<2x?x6xf32>
}

// The first keys, with the division by the sum that the op leaves to its user.
// CHECK-LABEL: @first (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @first(%query: tensor<2x40x8xf32>, %key: tensor<2x300x8xf32>, %value: tensor<2x300x6xf32>, %scale: f32)
    -> tensor<2x40x6xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<2x40x6xf32>
  %er = tensor.empty() : tensor<2x40xf32>
  %out = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40x6xf32>) -> tensor<2x40x6xf32>
  %max = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x40xf32>) -> tensor<2x40xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<2x40xf32>) -> tensor<2x40xf32>
  %result:3 = iree_linalg_ext.online_attention {indexing_maps = [#query, #key, #value, #scale, #result, #row, #row]}
      ins(%query, %key, %value, %scale : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32)
      outs(%out, %max, %sum : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
  %quotient = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%result#0, %result#2 : tensor<2x40x6xf32>, tensor<2x40xf32>) outs(%e : tensor<2x40x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x40x6xf32>
  return %quotient : tensor<2x40x6xf32>
}

// Keys that come later, from a state that is given.
// CHECK-LABEL: @next (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @next(%query: tensor<2x40x8xf32>, %key: tensor<2x300x8xf32>, %value: tensor<2x300x6xf32>,
                %out: tensor<2x40x6xf32>, %max: tensor<2x40xf32>)
    -> (tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  %scale = arith.constant 0.35 : f32
  %ten = arith.constant 10.0 : f32
  %er = tensor.empty() : tensor<2x40xf32>
  %sum = linalg.fill ins(%ten : f32) outs(%er : tensor<2x40xf32>) -> tensor<2x40xf32>
  %result:3 = iree_linalg_ext.online_attention {indexing_maps = [#query, #key, #value, #scale, #result, #row, #row]}
      ins(%query, %key, %value, %scale : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32)
      outs(%out, %max, %sum : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
  return %result#0, %result#1, %result#2 : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
}
