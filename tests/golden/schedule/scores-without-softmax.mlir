// Scores without a softmax are made in steps of keys where whole rows of them would be far from a core, as those of a
// softmax are; of few keys a tile has whole rows.
// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %s --func=long --random --check
// RUN: tcc-attn run %s --func=short --random --check

// CHECK-LABEL: func.func @long(
// CHECK: scf.forall {{.*}} = (0) to (192) step ({{32|64}})
// CHECK: scf.for {{.*}} to %c3000 step %c
// CHECK-LABEL: func.func @short(
// CHECK-NOT: scf.for %
func.func @long(%x: tensor<192x16xf32>, %y: tensor<16x3000xf32>, %z: tensor<3000x16xf32>) -> tensor<192x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<192x3000xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<192x3000xf32>) -> tensor<192x3000xf32>
  %products = linalg.matmul ins(%x, %y : tensor<192x16xf32>, tensor<16x3000xf32>) outs(%scores_zero : tensor<192x3000xf32>) -> tensor<192x3000xf32>
  %scores = linalg.map ins(%products : tensor<192x3000xf32>) outs(%scores_empty : tensor<192x3000xf32>) (%in: f32, %out: f32) {
    %square = arith.mulf %in, %in : f32
    linalg.yield %square : f32
  }
  %empty = tensor.empty() : tensor<192x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<192x16xf32>) -> tensor<192x16xf32>
  %result = linalg.matmul ins(%scores, %z : tensor<192x3000xf32>, tensor<3000x16xf32>) outs(%start : tensor<192x16xf32>) -> tensor<192x16xf32>
  return %result : tensor<192x16xf32>
}

func.func @short(%x: tensor<192x16xf32>, %y: tensor<16x300xf32>, %z: tensor<300x16xf32>) -> tensor<192x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<192x300xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<192x300xf32>) -> tensor<192x300xf32>
  %products = linalg.matmul ins(%x, %y : tensor<192x16xf32>, tensor<16x300xf32>) outs(%scores_zero : tensor<192x300xf32>) -> tensor<192x300xf32>
  %scores = linalg.map ins(%products : tensor<192x300xf32>) outs(%scores_empty : tensor<192x300xf32>) (%in: f32, %out: f32) {
    %square = arith.mulf %in, %in : f32
    linalg.yield %square : f32
  }
  %empty = tensor.empty() : tensor<192x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<192x16xf32>) -> tensor<192x16xf32>
  %result = linalg.matmul ins(%scores, %z : tensor<192x300xf32>, tensor<300x16xf32>) outs(%start : tensor<192x16xf32>) -> tensor<192x16xf32>
  return %result : tensor<192x16xf32>
}
