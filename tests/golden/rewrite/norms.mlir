// Weights without softmax that are divided by a sum of them: the result is divided instead, and the sum runs in the loop
// over keys, beside the product, and ends where the mask does.
// RUN: tcc-attn explain %s 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tcc-attn explain %s --target=nvptx:sm_90a 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tcc-attn opt %s --passes=simplify,move-factors,simplify,merge-elementwise,schedule,simplify,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %s --func=divided --random --check
// RUN: tcc-attn run %s --func=behind --random --check
// RUN: tcc-attn run %s --func=behind --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=divided --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=given --random --check
// RUN: tcc-attn run %s --func=elsewhere --random --check
// RUN: tcc-attn run %s --func=elsewhere --random --check --device=ptx-emu

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// SAID: recognised: what divides weights can divide the result
// SAID-NOT: recognised
// SAID-LABEL: @divided (
// SAID-NEXT: kernel 1: 2 products, a reduction
// SAID: 1 kernel, with nothing
// CHECK-DAG: #[[$SEEN:.*]] = affine_map<(d0) -> (1100, d0 + 32)>
// CHECK-LABEL: func.func @divided(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} = %c0{{.*}} to %[[END]] step
// CHECK: scf.yield
// CHECK: arith.divf
func.func @divided(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %square = arith.mulf %score, %score : f32
    %weight = arith.select %seen, %square, %zero : f32
    linalg.yield %weight : f32
  }
  %rows_empty = tensor.empty() : tensor<1100xf32>
  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<1100xf32>) -> tensor<1100xf32>
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<1100x1100xf32>) outs(%rows_zero : tensor<1100xf32>) dimensions = [1]
  %least = linalg.map ins(%sum : tensor<1100xf32>) outs(%rows_empty : tensor<1100xf32>) (%b: f32, %o: f32) {
    %one = arith.constant 1.0 : f32
    %larger = arith.maximumf %b, %one : f32
    linalg.yield %larger : f32
  }
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %least : tensor<1100x1100xf32>, tensor<1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %quotient = arith.divf %a, %b : f32
    linalg.yield %quotient : f32
  } -> tensor<1100x1100xf32>
  %result = linalg.matmul ins(%shares, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// The sum stands behind the product, and adds up what is made of the weights.
// SAID-LABEL: @behind (
// SAID-NEXT: kernel 1: 2 products, a reduction
// SAID: 1 kernel, with nothing
// CHECK-LABEL: func.func @behind(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} = %c0{{.*}} to %[[END]] step
// CHECK: linalg.abs
// CHECK: scf.yield
// CHECK: arith.divf
func.func @behind(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %square = arith.mulf %score, %score : f32
    %weight = arith.select %seen, %square, %zero : f32
    linalg.yield %weight : f32
  }
  %rows_empty = tensor.empty() : tensor<1100xf32>
  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<1100xf32>) -> tensor<1100xf32>
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %sizes = linalg.abs ins(%weights : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %sum = linalg.reduce { arith.addf } ins(%sizes : tensor<1100x1100xf32>) outs(%rows_zero : tensor<1100xf32>) dimensions = [1]
  %quotient = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%result, %sum : tensor<1100x16xf32>, tensor<1100xf32>) outs(%empty : tensor<1100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %least = arith.maximumf %b, %one : f32
    %quotient = arith.divf %a, %least : f32
    linalg.yield %quotient : f32
  } -> tensor<1100x16xf32>
  return %quotient : tensor<1100x16xf32>
}

// What is no sum of the weights divides them.
// CHECK-LABEL: func.func @given(
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: scf.yield
func.func @given(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>, %sum: tensor<1100xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %square = arith.mulf %score, %score : f32
    %weight = arith.select %seen, %square, %zero : f32
    linalg.yield %weight : f32
  }
  %rows_empty = tensor.empty() : tensor<1100xf32>
  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<1100xf32>) -> tensor<1100xf32>
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %least = linalg.map ins(%sum : tensor<1100xf32>) outs(%rows_empty : tensor<1100xf32>) (%b: f32, %o: f32) {
    %one = arith.constant 1.0 : f32
    %larger = arith.maximumf %b, %one : f32
    linalg.yield %larger : f32
  }
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %least : tensor<1100x1100xf32>, tensor<1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %quotient = arith.divf %a, %b : f32
    linalg.yield %quotient : f32
  } -> tensor<1100x1100xf32>
  %result = linalg.matmul ins(%shares, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// Somebody else adds up what the sum and the product give, so that these are of no use to each other on GPUs.
func.func @elsewhere(%x: tensor<200x16xf32>, %y: tensor<16x200xf32>, %z: tensor<200x16xf32>) -> (tensor<200x16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<200x200xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<200x200xf32>) -> tensor<200x200xf32>
  %products = linalg.matmul ins(%x, %y : tensor<200x16xf32>, tensor<16x200xf32>) outs(%scores_zero : tensor<200x200xf32>) -> tensor<200x200xf32>
  %weights = linalg.map ins(%products : tensor<200x200xf32>) outs(%scores_empty : tensor<200x200xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %square = arith.mulf %score, %score : f32
    %weight = arith.select %seen, %square, %zero : f32
    linalg.yield %weight : f32
  }
  %rows_empty = tensor.empty() : tensor<200xf32>
  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<200xf32>) -> tensor<200xf32>
  %empty = tensor.empty() : tensor<200x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<200x16xf32>) -> tensor<200x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<200x200xf32>, tensor<200x16xf32>) outs(%start : tensor<200x16xf32>) -> tensor<200x16xf32>
  %sizes = linalg.abs ins(%weights : tensor<200x200xf32>) outs(%scores_empty : tensor<200x200xf32>) -> tensor<200x200xf32>
  %sum = linalg.reduce { arith.addf } ins(%sizes : tensor<200x200xf32>) outs(%rows_zero : tensor<200xf32>) dimensions = [1]
  %quotient = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%result, %sum : tensor<200x16xf32>, tensor<200xf32>) outs(%empty : tensor<200x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %least = arith.maximumf %b, %one : f32
    %quotient = arith.divf %a, %least : f32
    linalg.yield %quotient : f32
  } -> tensor<200x16xf32>
  %features = tensor.empty() : tensor<16xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%features : tensor<16xf32>) -> tensor<16xf32>
  %other = linalg.generic {indexing_maps = [affine_map<(d, i) -> (i)>, affine_map<(d, i) -> (i, d)>, affine_map<(d, i) -> (d)>], iterator_types = ["parallel", "reduction"]}
      ins(%sum, %result : tensor<200xf32>, tensor<200x16xf32>) outs(%nothing : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %next = arith.addf %o, %term : f32
    linalg.yield %next : f32
  } -> tensor<16xf32>
  return %quotient, %other : tensor<200x16xf32>, tensor<16xf32>
}
