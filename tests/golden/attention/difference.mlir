// A product with the difference of the weights of two softmaxes, or a sum of more, is one of products: each softmax runs
// along with its loop over keys.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn explain %s --target=nvptx:sm_90a | FileCheck %s
// RUN: tcc-attn run %s --func=difference --random --check --dims=70,70,300,300,300,70
// RUN: tcc-attn run %s --func=difference --random --check --dims=40,40,70,70,70,40 --device=ptx-emu
// RUN: tcc-attn run %s --func=three --random --check --dims=70,70,300,300,300,70
// RUN: tcc-attn run %s --func=product --random --check --dims=70,70,300,300,300,70

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#query = affine_map<(q, k, d) -> (q, d)>
#key = affine_map<(q, k, d) -> (k, d)>
#scores = affine_map<(q, k, d) -> (q, k)>

// CHECK-LABEL: @difference (
// CHECK-NEXT: kernel 1: attention: 4 products, 2 softmaxes
// CHECK: 1 kernel, with nothing
func.func @difference(%q: tensor<?x16xf32>, %q2: tensor<?x16xf32>, %k: tensor<?x16xf32>, %k2: tensor<?x16xf32>, %v: tensor<?x16xf32>, %gate: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %q, %c0 : tensor<?x16xf32>
  %keys = tensor.dim %k, %c0 : tensor<?x16xf32>
  %scores_empty = tensor.empty(%rows, %keys) : tensor<?x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %first_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %first = linalg.softmax dimension(1) ins(%first_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %second_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q2, %k2 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %second = linalg.softmax dimension(1) ins(%second_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %part = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%second, %gate : tensor<?x?xf32>, tensor<?xf32>) outs(%scores_empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %scaled = arith.mulf %a, %b : f32
    linalg.yield %scaled : f32
  } -> tensor<?x?xf32>
  %weights = linalg.sub ins(%first, %part : tensor<?x?xf32>, tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty = tensor.empty(%rows) : tensor<?x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<?x?xf32>, tensor<?x16xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %result : tensor<?x16xf32>
}

// CHECK-LABEL: @three (
// CHECK-NEXT: kernel 1: attention: 6 products, 3 softmaxes
// CHECK: 1 kernel, with nothing
func.func @three(%q: tensor<?x16xf32>, %q2: tensor<?x16xf32>, %k: tensor<?x16xf32>, %k2: tensor<?x16xf32>, %v: tensor<?x16xf32>, %gate: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %q, %c0 : tensor<?x16xf32>
  %keys = tensor.dim %k, %c0 : tensor<?x16xf32>
  %scores_empty = tensor.empty(%rows, %keys) : tensor<?x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %first_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %first = linalg.softmax dimension(1) ins(%first_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %second_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q2, %k2 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %second = linalg.softmax dimension(1) ins(%second_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %third_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k2 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %third = linalg.softmax dimension(1) ins(%third_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %two = linalg.add ins(%first, %second : tensor<?x?xf32>, tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %weights = linalg.add ins(%two, %third : tensor<?x?xf32>, tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty = tensor.empty(%rows) : tensor<?x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<?x?xf32>, tensor<?x16xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %result : tensor<?x16xf32>
}

// Weights that are multiplied with each other are one factor.
func.func @product(%q: tensor<?x16xf32>, %q2: tensor<?x16xf32>, %k: tensor<?x16xf32>, %k2: tensor<?x16xf32>, %v: tensor<?x16xf32>, %gate: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %q, %c0 : tensor<?x16xf32>
  %keys = tensor.dim %k, %c0 : tensor<?x16xf32>
  %scores_empty = tensor.empty(%rows, %keys) : tensor<?x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %first_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %first = linalg.softmax dimension(1) ins(%first_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %second_products = linalg.generic {indexing_maps = [#query, #key, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q2, %k2 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%scores_zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %second = linalg.softmax dimension(1) ins(%second_products : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %weights = linalg.mul ins(%first, %second : tensor<?x?xf32>, tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty = tensor.empty(%rows) : tensor<?x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<?x?xf32>, tensor<?x16xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %result : tensor<?x16xf32>
}
