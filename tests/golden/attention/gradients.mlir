// Gradients of attention: weights are made anew, tile by tile, for each product that is not the softmax's own, so that no
// matrix of queries by keys is in memory. The sum that a softmax's gradient subtracts is one of the gradient times the
// result, in the kernel of both; what is left to the gradients of keys and values are rows.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=full --random --check --dims=70,200,200,70 --verify
// RUN: tcc-attn run %s --func=causal --random --check --dims=513,700,700,513
// RUN: tcc-attn run %s --func=causal --random --check --dims=0,10,10,0 --target=host:znver3
// RUN: tcc-attn run %s --func=full --random --check --dims=70,50,50,70 --device=ptx-emu
// RUN: tcc-attn run %s --func=causal --random --check --dims=50,70,70,50 --device=ptx-emu --target=nvptx:sm_90a

// CHECK: weights are made anew
// CHECK-LABEL: @full (
// CHECK-NEXT: kernel 1: attention: {{.*}} a softmax that runs along with the loop over keys
// CHECK-NOT: stores tensor<2x?x?x
// CHECK-LABEL: @causal (
// CHECK-NOT: stores tensor<2x?x?x

func.func @full(%query: tensor<2x?x16xf32>, %key: tensor<2x?x16xf32>, %value: tensor<2x?x16xf32>, %gradient: tensor<2x?x16xf32>) -> (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) {
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
  return %result, %query_gradient, %key_gradient, %value_gradient : tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>
}

func.func @causal(%query: tensor<2x?x16xf32>, %key: tensor<2x?x16xf32>, %value: tensor<2x?x16xf32>, %gradient: tensor<2x?x16xf32>) -> (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) {
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
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi uge, %i, %j : index
    %score = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %score : f32
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
  return %result, %query_gradient, %key_gradient, %value_gradient : tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>
}
