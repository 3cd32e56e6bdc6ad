// Loops that add up products with exponentials of scores, as gradients of attention do, leave out the tiles whose scores
// are all hidden: keys behind the rows of queries, and queries before the rows of keys. So they do where weights are
// divided, but not where the mask makes a divisor 0 as well: 0 / 0 is not 0.
// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %s --func=of_queries --random --check
// RUN: tcc-attn run %s --func=of_keys --random --check
// RUN: tcc-attn run %s --func=of_keys --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=divided --random --check
// RUN: tcc-attn run %s --func=divided_by_hidden --random --check

// CHECK: #[[ABOVE:.*]] = affine_map<(d0) -> (400, d0 + 32)>
// CHECK-LABEL: func.func @of_queries(
// CHECK: scf.forall (%[[ROW:.*]]) =
// CHECK: %[[END:.*]] = affine.min #[[ABOVE]](%[[ROW]])
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
// CHECK-LABEL: func.func @of_keys(
// CHECK: scf.forall (%[[ROW:.*]]) =
// CHECK: %[[START:.*]] = affine.apply
// CHECK: scf.for {{.*}} = %[[START]] to %c400{{.*}} step
// CHECK-LABEL: func.func @divided(
// CHECK: scf.forall (%[[ROW:.*]]) =
// CHECK: linalg.fill
// CHECK-NEXT: %[[END:.*]] = affine.min #{{.*}}(%[[ROW]])
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
// CHECK-LABEL: func.func @divided_by_hidden(
// CHECK: scf.for {{.*}} = %c0{{.*}} to %c1100{{.*}} step

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @of_queries(%x: tensor<400x16xf32>, %y: tensor<400x16xf32>, %z: tensor<400x16xf32>, %shift: tensor<400xf32>) -> tensor<400x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<400x400xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<400x400xf32>) -> tensor<400x400xf32>
  %products = linalg_ext.batch_matmul ins(%x, %y : tensor<400x16xf32>, tensor<400x16xf32>) outs(%scores_zero : tensor<400x400xf32>) layout = "nt" -> tensor<400x400xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%products, %shift : tensor<400x400xf32>, tensor<400xf32>) outs(%scores_empty : tensor<400x400xf32>) {
  ^bb0(%score: f32, %most: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi uge, %i, %j : index
    %quarter = arith.constant 0.25 : f32
    %small = arith.mulf %score, %quarter : f32
    %score_seen = arith.select %seen, %small, %hidden : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %shift_seen = arith.maximumf %most, %lowest : f32
    %difference = arith.subf %score_seen, %shift_seen : f32
    %power = math.exp %difference : f32
    %changed = arith.mulf %power, %score : f32
    %weight = arith.subf %changed, %power : f32
    linalg.yield %weight : f32
  } -> tensor<400x400xf32>
  %empty = tensor.empty() : tensor<400x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<400x16xf32>) -> tensor<400x16xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights, %z : tensor<400x400xf32>, tensor<400x16xf32>) outs(%start : tensor<400x16xf32>) {
  ^bb0(%weight: f32, %value: f32, %out: f32):
    %term = arith.mulf %weight, %value : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<400x16xf32>
  return %result : tensor<400x16xf32>
}

func.func @of_keys(%x: tensor<400x16xf32>, %y: tensor<400x16xf32>, %z: tensor<400x16xf32>, %shift: tensor<400xf32>) -> tensor<400x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<400x400xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<400x400xf32>) -> tensor<400x400xf32>
  %products = linalg_ext.batch_matmul ins(%x, %y : tensor<400x16xf32>, tensor<400x16xf32>) outs(%scores_zero : tensor<400x400xf32>) layout = "nt" -> tensor<400x400xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%products, %shift : tensor<400x400xf32>, tensor<400xf32>) outs(%scores_empty : tensor<400x400xf32>) {
  ^bb0(%score: f32, %most: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi uge, %i, %j : index
    %quarter = arith.constant 0.25 : f32
    %small = arith.mulf %score, %quarter : f32
    %score_seen = arith.select %seen, %small, %hidden : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %shift_seen = arith.maximumf %most, %lowest : f32
    %difference = arith.subf %score_seen, %shift_seen : f32
    %power = math.exp %difference : f32
    %changed = arith.mulf %power, %score : f32
    %weight = arith.subf %changed, %power : f32
    linalg.yield %weight : f32
  } -> tensor<400x400xf32>
  %empty = tensor.empty() : tensor<400x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<400x16xf32>) -> tensor<400x16xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(j, d, i) -> (i, j)>, affine_map<(j, d, i) -> (i, d)>, affine_map<(j, d, i) -> (j, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights, %z : tensor<400x400xf32>, tensor<400x16xf32>) outs(%start : tensor<400x16xf32>) {
  ^bb0(%weight: f32, %value: f32, %out: f32):
    %term = arith.mulf %weight, %value : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<400x16xf32>
  return %result : tensor<400x16xf32>
}

func.func @divided(%x: tensor<1100x16xf32>, %y: tensor<1100x16xf32>, %z: tensor<1100x16xf32>, %shift: tensor<1100xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg_ext.batch_matmul ins(%x, %y : tensor<1100x16xf32>, tensor<1100x16xf32>) outs(%scores_zero : tensor<1100x1100xf32>) layout = "nt" -> tensor<1100x1100xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%products, %shift : tensor<1100x1100xf32>, tensor<1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) {
  ^bb0(%score: f32, %most: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi uge, %i, %j : index
    %quarter = arith.constant 0.25 : f32
    %small = arith.mulf %score, %quarter : f32
    %score_seen = arith.select %seen, %small, %hidden : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %shift_seen = arith.maximumf %most, %lowest : f32
    %difference = arith.subf %score_seen, %shift_seen : f32
    %power = math.exp %difference : f32
    %one = arith.constant 1.0 : f32
    %opposite = math.exp %score : f32
    %above = arith.addf %opposite, %one : f32
    %gated = arith.divf %power, %above : f32
    %row_above = arith.addf %most, %one : f32
    %weight = arith.divf %gated, %row_above : f32
    linalg.yield %weight : f32
  } -> tensor<1100x1100xf32>
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) {
  ^bb0(%weight: f32, %value: f32, %out: f32):
    %term = arith.mulf %weight, %value : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

func.func @divided_by_hidden(%x: tensor<1100x16xf32>, %y: tensor<1100x16xf32>, %z: tensor<1100x16xf32>, %shift: tensor<1100xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg_ext.batch_matmul ins(%x, %y : tensor<1100x16xf32>, tensor<1100x16xf32>) outs(%scores_zero : tensor<1100x1100xf32>) layout = "nt" -> tensor<1100x1100xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%products, %shift : tensor<1100x1100xf32>, tensor<1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) {
  ^bb0(%score: f32, %most: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi uge, %i, %j : index
    %quarter = arith.constant 0.25 : f32
    %small = arith.mulf %score, %quarter : f32
    %score_seen = arith.select %seen, %small, %hidden : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %shift_seen = arith.maximumf %most, %lowest : f32
    %difference = arith.subf %score_seen, %shift_seen : f32
    %power = math.exp %difference : f32
    %other = math.exp %score_seen : f32
    %weight = arith.divf %power, %other : f32
    linalg.yield %weight : f32
  } -> tensor<1100x1100xf32>
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) {
  ^bb0(%weight: f32, %value: f32, %out: f32):
    %term = arith.mulf %weight, %value : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}
