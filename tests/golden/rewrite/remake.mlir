// Weights of a softmax are made anew for products that are not its own, where nobody reads them as they are.
// RUN: tcc-attn opt %s --passes=simplify,raise,simplify,remake,simplify --verify | FileCheck %s
// RUN: tcc-attn run %s --func=narrow --random --check --dims=70,50,50,70 --device=ptx-emu
// RUN: tcc-attn run %s --func=seen --random --check --dims=70,50,50,70

// The softmax's own product is all that reads its weights. The three others have exponentials of their own, and four
// products of queries and keys become one each; the sum along keys is one of the result times its gradient.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[SOFTMAX:.*]]:4 = linalg_ext.softmax
// CHECK: arith.divf
// CHECK: %[[RESULT:.*]] = linalg.generic {{.*}} ins(%[[SOFTMAX]]#0, %arg2
// CHECK: math.exp
// CHECK: ins(%arg3, %[[RESULT]]
// CHECK-COUNT-2: math.exp
// CHECK-NOT: %[[SOFTMAX]]#0
func.func @narrow(%query: tensor<2x?x16xbf16>, %key: tensor<2x?x16xbf16>, %value: tensor<2x?x16xbf16>, %gradient: tensor<2x?x16xbf16>) -> (tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x16xbf16>) {
  %c1 = arith.constant 1 : index
  %queries = tensor.dim %query, %c1 : tensor<2x?x16xbf16>
  %keys = tensor.dim %key, %c1 : tensor<2x?x16xbf16>
  %zero = arith.constant 0.0 : bf16
  %scale = arith.constant 0.25 : bf16
  %hidden = arith.constant 0xFF80 : bf16
  %matrix = tensor.empty(%queries, %keys) : tensor<2x?x?xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%matrix : tensor<2x?x?xbf16>) -> tensor<2x?x?xbf16>
  %of_queries = tensor.empty(%queries) : tensor<2x?x16xbf16>
  %query_zeros = linalg.fill ins(%zero : bf16) outs(%of_queries : tensor<2x?x16xbf16>) -> tensor<2x?x16xbf16>
  %of_keys = tensor.empty(%keys) : tensor<2x?x16xbf16>
  %key_zeros = linalg.fill ins(%zero : bf16) outs(%of_keys : tensor<2x?x16xbf16>) -> tensor<2x?x16xbf16>
  %products = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, j, l)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<2x?x16xbf16>, tensor<2x?x16xbf16>) outs(%zeros : tensor<2x?x?xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x?xbf16>
  %scores = linalg.map ins(%products : tensor<2x?x?xbf16>) outs(%matrix : tensor<2x?x?xbf16>) (%in: bf16, %out: bf16) {
    %scaled = arith.mulf %in, %scale : bf16
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi uge, %i, %j : index
    %score = arith.select %seen, %scaled, %hidden : bf16
    linalg.yield %score : bf16
  }
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x?x?xbf16>) outs(%matrix : tensor<2x?x?xbf16>) -> tensor<2x?x?xbf16>
  %result = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<2x?x?xbf16>, tensor<2x?x16xbf16>) outs(%query_zeros : tensor<2x?x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x16xbf16>
  %value_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, l, i)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %gradient : tensor<2x?x?xbf16>, tensor<2x?x16xbf16>) outs(%key_zeros : tensor<2x?x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x16xbf16>
  %weight_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, j, l)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%gradient, %value : tensor<2x?x16xbf16>, tensor<2x?x16xbf16>) outs(%zeros : tensor<2x?x?xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x?xbf16>
  %shares = linalg.mul ins(%weight_gradient, %weights : tensor<2x?x?xbf16>, tensor<2x?x?xbf16>) outs(%matrix : tensor<2x?x?xbf16>) -> tensor<2x?x?xbf16>
  %row = tensor.empty(%queries) : tensor<2x?xbf16>
  %row_zeros = linalg.fill ins(%zero : bf16) outs(%row : tensor<2x?xbf16>) -> tensor<2x?xbf16>
  %sums = linalg.reduce ins(%shares : tensor<2x?x?xbf16>) outs(%row_zeros : tensor<2x?xbf16>) dimensions = [2] (%in: bf16, %out: bf16) {
    %sum = arith.addf %in, %out : bf16
    linalg.yield %sum : bf16
  }
  %score_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%shares, %weights, %sums : tensor<2x?x?xbf16>, tensor<2x?x?xbf16>, tensor<2x?xbf16>) outs(%matrix : tensor<2x?x?xbf16>) {
  ^bb0(%share: bf16, %weight: bf16, %sum: bf16, %out: bf16):
    %part = arith.mulf %weight, %sum : bf16
    %rest = arith.subf %share, %part : bf16
    %scaled = arith.mulf %rest, %scale : bf16
    linalg.yield %scaled : bf16
  } -> tensor<2x?x?xbf16>
  %query_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%score_gradient, %key : tensor<2x?x?xbf16>, tensor<2x?x16xbf16>) outs(%query_zeros : tensor<2x?x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x16xbf16>
  %key_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, l, i)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%score_gradient, %query : tensor<2x?x?xbf16>, tensor<2x?x16xbf16>) outs(%key_zeros : tensor<2x?x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %term = arith.mulf %a, %b : bf16
    %sum = arith.addf %out, %term : bf16
    linalg.yield %sum : bf16
  } -> tensor<2x?x16xbf16>
  return %result, %query_gradient, %key_gradient, %value_gradient : tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x16xbf16>
}

// These are handed on, so they are stored anyway.
// CHECK-LABEL: func.func @seen(
// CHECK-NOT: math.exp
func.func @seen(%query: tensor<2x?x16xf32>, %key: tensor<2x?x16xf32>, %value: tensor<2x?x16xf32>, %gradient: tensor<2x?x16xf32>) -> (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x?xf32>) {
  %c1 = arith.constant 1 : index
  %queries = tensor.dim %query, %c1 : tensor<2x?x16xf32>
  %keys = tensor.dim %key, %c1 : tensor<2x?x16xf32>
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %matrix = tensor.empty(%queries, %keys) : tensor<2x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %of_queries = tensor.empty(%queries) : tensor<2x?x16xf32>
  %query_zeros = linalg.fill ins(%zero : f32) outs(%of_queries : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  %of_keys = tensor.empty(%keys) : tensor<2x?x16xf32>
  %key_zeros = linalg.fill ins(%zero : f32) outs(%of_keys : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  %products = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, j, l)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%zeros : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x?xf32>
  %scores = linalg.map ins(%products : tensor<2x?x?xf32>) outs(%matrix : tensor<2x?x?xf32>) (%in: f32, %out: f32) {
    %scaled = arith.mulf %in, %scale : f32
    linalg.yield %scaled : f32
  }
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x?x?xf32>) outs(%matrix : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<2x?x?xf32>, tensor<2x?x16xf32>) outs(%query_zeros : tensor<2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x16xf32>
  %value_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, l, i)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %gradient : tensor<2x?x?xf32>, tensor<2x?x16xf32>) outs(%key_zeros : tensor<2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x16xf32>
  %weight_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, j, l)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%gradient, %value : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%zeros : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x?xf32>
  %shares = linalg.mul ins(%weight_gradient, %weights : tensor<2x?x?xf32>, tensor<2x?x?xf32>) outs(%matrix : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %row = tensor.empty(%queries) : tensor<2x?xf32>
  %row_zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sums = linalg.reduce ins(%shares : tensor<2x?x?xf32>) outs(%row_zeros : tensor<2x?xf32>) dimensions = [2] (%in: f32, %out: f32) {
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  %score_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%shares, %weights, %sums : tensor<2x?x?xf32>, tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%matrix : tensor<2x?x?xf32>) {
  ^bb0(%share: f32, %weight: f32, %sum: f32, %out: f32):
    %part = arith.mulf %weight, %sum : f32
    %rest = arith.subf %share, %part : f32
    %scaled = arith.mulf %rest, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<2x?x?xf32>
  %query_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, i, l)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%score_gradient, %key : tensor<2x?x?xf32>, tensor<2x?x16xf32>) outs(%query_zeros : tensor<2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x16xf32>
  %key_gradient = linalg.generic {indexing_maps = [affine_map<(h, i, j, l) -> (h, l, i)>, affine_map<(h, i, j, l) -> (h, l, j)>, affine_map<(h, i, j, l) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%score_gradient, %query : tensor<2x?x?xf32>, tensor<2x?x16xf32>) outs(%key_zeros : tensor<2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x16xf32>
  return %result, %query_gradient, %key_gradient, %value_gradient, %weights : tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x?xf32>
}
