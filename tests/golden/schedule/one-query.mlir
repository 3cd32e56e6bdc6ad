// One query reads keys and values of f32 in turn, in long steps where the machine loses requests; two take the usual ones.
// RUN: tcc-attn opt %s --target=host:znver5 --passes=simplify,schedule | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,schedule | FileCheck %s --check-prefix=USUAL

// CHECK-LABEL: func.func @one
// CHECK: tensor<1x512xf32>
// USUAL-LABEL: func.func @one
// USUAL: tensor<1x128xf32>
// USUAL-NOT: tensor<1x512xf32>
func.func @one(%q: tensor<1x64xf32>, %k: tensor<8192x64xf32>, %v: tensor<8192x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<1x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<1x8192xf32>) -> tensor<1x8192xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(i, j, c) -> (i, c)>, affine_map<(i, j, c) -> (j, c)>, affine_map<(i, j, c) -> (i, j)>] ins(%q, %k : tensor<1x64xf32>, tensor<8192x64xf32>) outs(%s0 : tensor<1x8192xf32>) -> tensor<1x8192xf32>
  %w = linalg.softmax dimension(1) ins(%scores : tensor<1x8192xf32>) outs(%s : tensor<1x8192xf32>) -> tensor<1x8192xf32>
  %r = tensor.empty() : tensor<1x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<1x64xf32>) -> tensor<1x64xf32>
  %result = linalg.matmul ins(%w, %v : tensor<1x8192xf32>, tensor<8192x64xf32>) outs(%r0 : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @two
// CHECK: tensor<2x128xf32>
// CHECK-NOT: tensor<2x512xf32>
func.func @two(%q: tensor<2x64xf32>, %k: tensor<8192x64xf32>, %v: tensor<8192x64xf32>) -> tensor<2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<2x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(i, j, c) -> (i, c)>, affine_map<(i, j, c) -> (j, c)>, affine_map<(i, j, c) -> (i, j)>] ins(%q, %k : tensor<2x64xf32>, tensor<8192x64xf32>) outs(%s0 : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  %w = linalg.softmax dimension(1) ins(%scores : tensor<2x8192xf32>) outs(%s : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  %r = tensor.empty() : tensor<2x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x64xf32>) -> tensor<2x64xf32>
  %result = linalg.matmul ins(%w, %v : tensor<2x8192xf32>, tensor<8192x64xf32>) outs(%r0 : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %result : tensor<2x64xf32>
}
