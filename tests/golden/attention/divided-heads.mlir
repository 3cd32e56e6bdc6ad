// Eight heads of queries share two of keys and values, as maps that divide the head's loop say, or bodies that read by
// the quotient: one kernel, with a causal mask and slopes for heads, over any batch and lengths. Values that are computed
// and then repeated are stored once, not for each head.
// RUN: tcc-attn explain %s --target=nvptx:sm_90 | FileCheck %s
// RUN: tcc-attn run %s --func=maps --random --check --dims=2,50,2,70,2,70
// RUN: tcc-attn run %s --func=maps --random --check --dims=3,1,3,300,3,300
// RUN: tcc-attn run %s --func=bodies --random --check
// RUN: tcc-attn run %s --func=bodies --random --check --target=nvptx:sm_90 --device=ptx-emu
// RUN: tcc-attn run %s --func=computed --random --check
// CHECK: @maps
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing in memory between
// CHECK: @bodies
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing in memory between
// CHECK: @computed
// CHECK-NEXT: kernel 1: an elementwise step
// CHECK-NEXT: stores tensor<3x193x64xf32>
// CHECK-NEXT: kernel 2: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 2 kernels
#query = affine_map<(b, h, q, k, d) -> (b, h, q, d)>
#key = affine_map<(b, h, q, k, d) -> (b, h floordiv 4, k, d)>
#score = affine_map<(b, h, q, k, d) -> (b, h, q, k)>
#weight = affine_map<(b, h, q, d, k) -> (b, h, q, k)>
#value = affine_map<(b, h, q, d, k) -> (b, h floordiv 4, k, d)>
#sum = affine_map<(b, h, q, d, k) -> (b, h, q, d)>
#id = affine_map<(b, h, q, k) -> (b, h, q, k)>
func.func @maps(%query: tensor<?x8x?x16xf32>, %key: tensor<?x2x?x16xf32>, %value: tensor<?x2x?x16xf32>)
    -> tensor<?x8x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %slope = arith.constant 0.015625 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %b = tensor.dim %query, %c0 : tensor<?x8x?x16xf32>
  %m = tensor.dim %query, %c2 : tensor<?x8x?x16xf32>
  %n = tensor.dim %key, %c2 : tensor<?x2x?x16xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x8x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %products = linalg.generic {indexing_maps = [#query, #key, #score],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %key : tensor<?x8x?x16xf32>, tensor<?x2x?x16xf32>) outs(%s0 : tensor<?x8x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x8x?x?xf32>
  %scores = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<?x8x?x?xf32>) outs(%e : tensor<?x8x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %distance = arith.subi %j, %i : index
    %steps = arith.muli %distance, %h : index
    %integer = arith.index_cast %steps : index to i32
    %number = arith.sitofp %integer : i32 to f32
    %bias = arith.mulf %number, %slope : f32
    %scaled = arith.mulf %x, %scale : f32
    %biased = arith.addf %scaled, %bias : f32
    %seen = arith.cmpi sle, %j, %i : index
    %score = arith.select %seen, %biased, %hidden : f32
    linalg.yield %score : f32
  } -> tensor<?x8x?x?xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<?x8x?x?xf32>) outs(%e : tensor<?x8x?x?xf32>)
      -> tensor<?x8x?x?xf32>
  %re = tensor.empty(%b, %m) : tensor<?x8x?x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<?x8x?x16xf32>) -> tensor<?x8x?x16xf32>
  %result = linalg.generic {indexing_maps = [#weight, #value, #sum],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%weights, %value : tensor<?x8x?x?xf32>, tensor<?x2x?x16xf32>) outs(%r0 : tensor<?x8x?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x8x?x16xf32>
  return %result : tensor<?x8x?x16xf32>
}
#hqd = affine_map<(h, q, k, d) -> (h, q, d)>
#hqk = affine_map<(h, q, k, d) -> (h, q, k)>
#in = affine_map<(h, q, d, k) -> (h, q, k)>
#out = affine_map<(h, q, d, k) -> (h, q, d)>
func.func @bodies(%query: tensor<8x30x16xf32>, %key: tensor<2x300x16xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<8x30x16xf32> {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x30x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x30x300xf32>) -> tensor<8x30x300xf32>
  %scores = linalg.generic {indexing_maps = [#hqd, #hqk],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query : tensor<8x30x16xf32>) outs(%s0 : tensor<8x30x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %h = linalg.index 0 : index
    %k = linalg.index 2 : index
    %d = linalg.index 3 : index
    %shared = arith.divui %h, %c4 : index
    %y = tensor.extract %key[%shared, %k, %d] : tensor<2x300x16xf32>
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x30x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x30x300xf32>) outs(%e : tensor<8x30x300xf32>)
      -> tensor<8x30x300xf32>
  %re = tensor.empty() : tensor<8x30x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<8x30x16xf32>) -> tensor<8x30x16xf32>
  %result = linalg.generic {indexing_maps = [#in, #out],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<8x30x300xf32>) outs(%r0 : tensor<8x30x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %h = linalg.index 0 : index
    %d = linalg.index 2 : index
    %k = linalg.index 3 : index
    %shared = affine.apply affine_map<(i) -> (i floordiv 4)>(%h)
    %y = tensor.extract %value[%shared, %k, %d] : tensor<2x300x16xf32>
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x30x16xf32>
  return %result : tensor<8x30x16xf32>
}

#shared = affine_map<(h, s, d) -> (h, s, d)>
#repeated = affine_map<(h, s, d) -> (h floordiv 4, s, d)>
#head_query = affine_map<(h, l, s, d) -> (h, l, d)>
#head_key = affine_map<(h, l, s, d) -> (h floordiv 4, s, d)>
#head_score = affine_map<(h, l, s, d) -> (h, l, s)>
#head_weight = affine_map<(h, l, e, s) -> (h, l, s)>
#head_value = affine_map<(h, l, e, s) -> (h, s, e)>
#head_sum = affine_map<(h, l, e, s) -> (h, l, e)>
func.func @computed(%query: tensor<12x5x64xf32>, %key: tensor<3x193x64xf32>, %value: tensor<3x193x64xf32>) -> tensor<12x5x64xf32> {
  %zero = arith.constant 0.0 : f32
  %positive_empty = tensor.empty() : tensor<3x193x64xf32>
  %positive = linalg.generic {indexing_maps = [#shared, #shared], iterator_types = ["parallel", "parallel", "parallel"]} ins(%value : tensor<3x193x64xf32>) outs(%positive_empty : tensor<3x193x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %product = math.absf %a : f32
    linalg.yield %product : f32
  } -> tensor<3x193x64xf32>
  %wide_empty = tensor.empty() : tensor<12x193x64xf32>
  %wide = linalg.generic {indexing_maps = [#repeated, #shared], iterator_types = ["parallel", "parallel", "parallel"]} ins(%positive : tensor<3x193x64xf32>) outs(%wide_empty : tensor<12x193x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<12x193x64xf32>
  %scores_empty = tensor.empty() : tensor<12x5x193xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<12x5x193xf32>) -> tensor<12x5x193xf32>
  %scores = linalg.generic {indexing_maps = [#head_query, #head_key, #head_score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<12x5x64xf32>, tensor<3x193x64xf32>) outs(%scores_zero : tensor<12x5x193xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %c, %product : f32
    linalg.yield %sum : f32
  } -> tensor<12x5x193xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<12x5x193xf32>) outs(%scores_empty : tensor<12x5x193xf32>) -> tensor<12x5x193xf32>
  %result_empty = tensor.empty() : tensor<12x5x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<12x5x64xf32>) -> tensor<12x5x64xf32>
  %result = linalg.generic {indexing_maps = [#head_weight, #head_value, #head_sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %wide : tensor<12x5x193xf32>, tensor<12x193x64xf32>) outs(%result_zero : tensor<12x5x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %c, %product : f32
    linalg.yield %sum : f32
  } -> tensor<12x5x64xf32>
  return %result : tensor<12x5x64xf32>
}
