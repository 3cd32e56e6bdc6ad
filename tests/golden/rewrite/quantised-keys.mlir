// Quantised keys as exporters write them, widened and scaled by two ops: few rows read them as they are, and the scores are
// scaled. Many rows find them scaled and widened once, which takes less time than to scale all scores.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=move-factors,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=few --random --check
// RUN: tcc-attn run %s --func=many --random --check
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @few(
// CHECK-SAME: %[[Q:.*]]: tensor<4x16xf32>, %[[K:.*]]: tensor<512x16xi8>, %[[SCALE:.*]]: tensor<512xf32>
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] :
// CHECK: linalg.generic {{.*}} ins(%[[SCORES]], %[[SCALE]] :
func.func @few(%q: tensor<4x16xf32>, %k: tensor<512x16xi8>, %scale: tensor<512xf32>) -> tensor<4x512xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<512x16xf32>
  %wide = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<512x16xi8>) outs(%ke : tensor<512x16xf32>) {
  ^bb0(%a: i8, %o: f32):
    %x = arith.sitofp %a : i8 to f32
    linalg.yield %x : f32
  } -> tensor<512x16xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]} ins(%wide, %scale : tensor<512x16xf32>, tensor<512xf32>) outs(%ke : tensor<512x16xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %x = arith.mulf %a, %s : f32
    linalg.yield %x : f32
  } -> tensor<512x16xf32>
  %e = tensor.empty() : tensor<4x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %c = linalg_ext.batch_matmul ins(%q, %scaled : tensor<4x16xf32>, tensor<512x16xf32>) outs(%f : tensor<4x512xf32>) layout = "nt" -> tensor<4x512xf32>
  %m = linalg.softmax dimension(1) ins(%c : tensor<4x512xf32>) outs(%e : tensor<4x512xf32>) -> tensor<4x512xf32>
  return %m : tensor<4x512xf32>
}

// CHECK-LABEL: func.func @many(
// CHECK-SAME: %[[Q:.*]]: tensor<256x16xf32>, %[[K:.*]]: tensor<512x16xi8>, %[[SCALE:.*]]: tensor<512xf32>
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[SCALE]] :
// CHECK: linalg_ext.batch_matmul ins(%[[Q]], %[[SCALED]] :
func.func @many(%q: tensor<256x16xf32>, %k: tensor<512x16xi8>, %scale: tensor<512xf32>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<512x16xf32>
  %wide = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<512x16xi8>) outs(%ke : tensor<512x16xf32>) {
  ^bb0(%a: i8, %o: f32):
    %x = arith.sitofp %a : i8 to f32
    linalg.yield %x : f32
  } -> tensor<512x16xf32>
  %scaled = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]} ins(%wide, %scale : tensor<512x16xf32>, tensor<512xf32>) outs(%ke : tensor<512x16xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %x = arith.mulf %a, %s : f32
    linalg.yield %x : f32
  } -> tensor<512x16xf32>
  %e = tensor.empty() : tensor<256x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  %c = linalg_ext.batch_matmul ins(%q, %scaled : tensor<256x16xf32>, tensor<512x16xf32>) outs(%f : tensor<256x512xf32>) layout = "nt" -> tensor<256x512xf32>
  %m = linalg.softmax dimension(1) ins(%c : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %m : tensor<256x512xf32>
}
