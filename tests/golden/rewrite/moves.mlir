// Transposes go into the maps of those that read them, also where others need the transposed tensor itself.
// RUN: tcc-attn opt %s --passes=absorb-moves,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=transposed_factor --random --check

// CHECK-DAG: #[[KEYS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @transposed_factor(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[KEYS]], #{{.*}}], {{.*}} ins(%arg0, %arg1 :
func.func @transposed_factor(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%k : tensor<16x4xf32>) outs(%te : tensor<4x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @two_readers(
// CHECK: %[[OWN:.*]] = linalg.transpose ins(%arg1
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: return %{{.*}}, %[[OWN]]
func.func @two_readers(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>) -> (tensor<8x16xf32>, tensor<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%k : tensor<16x4xf32>) outs(%te : tensor<4x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c, %t : tensor<8x16xf32>, tensor<4x16xf32>
}
