// Factors whose terms are put side by side in pairs: more rows and longer steps share that. Elsewhere, and where rows
// are few, tiles are as usual.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:emeraldrapids | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:cooperlake | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: @pairs
// CHECK: scf.forall {{.*}} step (1, 256)
// CHECK: scf.for {{.*}} step %c256
// PLAIN-LABEL: @pairs
// PLAIN: scf.forall {{.*}} step (1, 128)
// PLAIN: scf.for {{.*}} step %c128
func.func @pairs(%query: tensor<256x512x64xbf16>, %key: tensor<256x512x64xbf16>,
      %value: tensor<256x512x64xbf16>) -> tensor<256x512x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %key_empty = tensor.empty() : tensor<256x64x512xbf16>
  %key_transposed = linalg.transpose ins(%key : tensor<256x512x64xbf16>)
      outs(%key_empty : tensor<256x64x512xbf16>) permutation = [0, 2, 1]
  %scores_empty = tensor.empty() : tensor<256x512x512xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<256x512x512xf32>) -> tensor<256x512x512xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<256x512x64xbf16>, tensor<256x64x512xbf16>)
      outs(%scores_zero : tensor<256x512x512xf32>) -> tensor<256x512x512xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x512x512xf32>) outs(%scores_empty : tensor<256x512x512xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<256x512x512xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x512x512xf32>)
      outs(%scores_empty : tensor<256x512x512xf32>) -> tensor<256x512x512xf32>
  %result_empty = tensor.empty() : tensor<256x512x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x512x64xf32>) -> tensor<256x512x64xf32>
  %weights_narrow_empty = tensor.empty() : tensor<256x512x512xbf16>
  %weights_narrow = linalg.generic {
      indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights : tensor<256x512x512xf32>)
      outs(%weights_narrow_empty : tensor<256x512x512xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<256x512x512xbf16>
  %result = linalg.batch_matmul ins(%weights_narrow, %value : tensor<256x512x512xbf16>, tensor<256x512x64xbf16>)
      outs(%result_zero : tensor<256x512x64xf32>) -> tensor<256x512x64xf32>
  %result_narrow_empty = tensor.empty() : tensor<256x512x64xbf16>
  %result_narrow = linalg.generic {
      indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%result : tensor<256x512x64xf32>)
      outs(%result_narrow_empty : tensor<256x512x64xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<256x512x64xbf16>
  return %result_narrow : tensor<256x512x64xbf16>
}

// CHECK-LABEL: @few
// PLAIN-LABEL: @few
// CHECK: scf.for {{.*}} step %c128
func.func @few(%query: tensor<256x128x64xbf16>, %key: tensor<256x512x64xbf16>,
      %value: tensor<256x512x64xbf16>) -> tensor<256x128x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 1.250000000e-01 : f32
  %key_empty = tensor.empty() : tensor<256x64x512xbf16>
  %key_transposed = linalg.transpose ins(%key : tensor<256x512x64xbf16>)
      outs(%key_empty : tensor<256x64x512xbf16>) permutation = [0, 2, 1]
  %scores_empty = tensor.empty() : tensor<256x128x512xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<256x128x512xf32>) -> tensor<256x128x512xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<256x128x64xbf16>, tensor<256x64x512xbf16>)
      outs(%scores_zero : tensor<256x128x512xf32>) -> tensor<256x128x512xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x128x512xf32>) outs(%scores_empty : tensor<256x128x512xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<256x128x512xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x128x512xf32>)
      outs(%scores_empty : tensor<256x128x512xf32>) -> tensor<256x128x512xf32>
  %result_empty = tensor.empty() : tensor<256x128x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x128x64xf32>) -> tensor<256x128x64xf32>
  %weights_narrow_empty = tensor.empty() : tensor<256x128x512xbf16>
  %weights_narrow = linalg.generic {
      indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights : tensor<256x128x512xf32>)
      outs(%weights_narrow_empty : tensor<256x128x512xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<256x128x512xbf16>
  %result = linalg.batch_matmul ins(%weights_narrow, %value : tensor<256x128x512xbf16>, tensor<256x512x64xbf16>)
      outs(%result_zero : tensor<256x128x64xf32>) -> tensor<256x128x64xf32>
  %result_narrow_empty = tensor.empty() : tensor<256x128x64xbf16>
  %result_narrow = linalg.generic {
      indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%result : tensor<256x128x64xf32>)
      outs(%result_narrow_empty : tensor<256x128x64xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<256x128x64xbf16>
  return %result_narrow : tensor<256x128x64xbf16>
}
