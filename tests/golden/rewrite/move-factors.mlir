// The factor of the keys goes to the queries, of which each tile has its own; without a softmax nothing tells keys apart.
// RUN: tcc-attn opt %s --passes=move-factors,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=scaled_keys --random --check
// RUN: tcc-attn run %s --func=few_keys --random --check --verify

// CHECK-LABEL: func.func @scaled_keys(
// CHECK: %[[QUERIES:.*]] = linalg.generic {{.*}} ins(%arg0 :
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%[[QUERIES]], %arg1 :
func.func @scaled_keys(%q: tensor<8x4xf32>, %k: tensor<160x4xf32>) -> tensor<8x160xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ke = tensor.empty() : tensor<160x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<160x4xf32>) outs(%ke : tensor<160x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %half : f32
    linalg.yield %p : f32
  } -> tensor<160x4xf32>
  %e = tensor.empty() : tensor<8x160xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x160xf32>) -> tensor<8x160xf32>
  %c = linalg_ext.batch_matmul ins(%q, %s : tensor<8x4xf32>, tensor<160x4xf32>) outs(%f : tensor<8x160xf32>) layout = "nt" -> tensor<8x160xf32>
  %m = linalg.softmax dimension(1) ins(%c : tensor<8x160xf32>) outs(%e : tensor<8x160xf32>) -> tensor<8x160xf32>
  return %m : tensor<8x160xf32>
}

// CHECK-LABEL: func.func @no_softmax(
// CHECK: %[[KEYS:.*]] = linalg.generic {{.*}} ins(%arg1 :
// CHECK: linalg_ext.batch_matmul ins(%arg0, %[[KEYS]] :
func.func @no_softmax(%q: tensor<8x4xf32>, %k: tensor<160x4xf32>) -> tensor<8x160xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ke = tensor.empty() : tensor<160x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<160x4xf32>) outs(%ke : tensor<160x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %half : f32
    linalg.yield %p : f32
  } -> tensor<160x4xf32>
  %e = tensor.empty() : tensor<8x160xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x160xf32>) -> tensor<8x160xf32>
  %c = linalg_ext.batch_matmul ins(%q, %s : tensor<8x4xf32>, tensor<160x4xf32>) outs(%f : tensor<8x160xf32>) layout = "nt" -> tensor<8x160xf32>
  return %c : tensor<8x160xf32>
}

// Fewer keys than features: the factor goes to the scores, in their type.
// CHECK-LABEL: func.func @few_keys(
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<8x64xf16>, tensor<17x64xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[SCORES]] : tensor<8x17xf32>) outs(%{{.*}} : tensor<8x17xf32>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
func.func @few_keys(%q: tensor<8x64xf16>, %k: tensor<17x64xf16>) -> tensor<8x17xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f16
  %ke = tensor.empty() : tensor<17x64xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<17x64xf16>) outs(%ke : tensor<17x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %p = arith.mulf %a, %half : f16
    linalg.yield %p : f16
  } -> tensor<17x64xf16>
  %e = tensor.empty() : tensor<8x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x17xf32>) -> tensor<8x17xf32>
  %c = linalg_ext.batch_matmul ins(%q, %s : tensor<8x64xf16>, tensor<17x64xf16>) outs(%f : tensor<8x17xf32>) layout = "nt" -> tensor<8x17xf32>
  %m = linalg.softmax dimension(1) ins(%c : tensor<8x17xf32>) outs(%e : tensor<8x17xf32>) -> tensor<8x17xf32>
  return %m : tensor<8x17xf32>
}
