// Scores may look into tensors at places of their own: a bias by distance, documents that must be the
// same. What looks into all of another softmax has to wait for that.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=by_distance --random --check
// RUN: tcc-attn run %s --func=documents --random --check
// RUN: tcc-attn run %s --func=of_weights --random --check

#rows = affine_map<(q, k) -> (q, k)>
#row = affine_map<(q, k) -> (q)>
#key = affine_map<(q, k) -> (k)>
// CHECK-LABEL: @by_distance (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @by_distance(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %table: tensor<399xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %last = arith.constant 199 : index
  %biased = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %1 = arith.subi %k, %q : index
    %2 = arith.addi %1, %last : index
    %3 = tensor.extract %table[%2] : tensor<399xf32>
    %y = arith.addf %a, %3 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%biased : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @documents (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @documents(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>, %document: tensor<200xi32>)
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
    %1 = tensor.extract %document[%q] : tensor<200xi32>
    %2 = tensor.extract %document[%k] : tensor<200xi32>
    %3 = arith.cmpi eq, %1, %2 : i32
    %y = arith.select %3, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}

// CHECK-LABEL: @of_weights (
// CHECK: softmax of whole rows
func.func @of_weights(%query: tensor<200x16xf32>, %key: tensor<16x200xf32>, %value: tensor<200x16xf32>)
    -> tensor<200x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %ev = tensor.empty() : tensor<200x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<200x16xf32>) -> tensor<200x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<200x16xf32>, tensor<16x200xf32>) outs(%s0 : tensor<200x200xf32>)
      -> tensor<200x200xf32>
  %weights0 = linalg.softmax dimension(1) ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %biased = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %1 = tensor.extract %weights0[%k, %q] : tensor<200x200xf32>
    %y = arith.addf %a, %1 : f32
    linalg.yield %y : f32
  } -> tensor<200x200xf32>
  %weights = linalg.softmax dimension(1) ins(%biased : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) -> tensor<200x200xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<200x200xf32>, tensor<200x16xf32>) outs(%r0 : tensor<200x16xf32>) -> tensor<200x16xf32>
  return %result : tensor<200x16xf32>
}
