
func.func @attention(%query: tensor<3x20x32xbf16>, %key: tensor<3x32x32xbf16>, %value: tensor<3x32x32xbf16>) -> tensor<3x20x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.767766953e-01 : f32
  %key_empty = tensor.empty() : tensor<3x32x32xbf16>
  %key_transposed = linalg.transpose ins(%key : tensor<3x32x32xbf16>) outs(%key_empty : tensor<3x32x32xbf16>) permutation = [0, 2, 1]
  %scores_empty = tensor.empty() : tensor<3x20x32xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<3x20x32xf32>) -> tensor<3x20x32xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<3x20x32xbf16>, tensor<3x32x32xbf16>) outs(%scores_zero : tensor<3x20x32xf32>) -> tensor<3x20x32xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<3x20x32xf32>) outs(%scores_empty : tensor<3x20x32xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<3x20x32xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<3x20x32xf32>) outs(%scores_empty : tensor<3x20x32xf32>) -> tensor<3x20x32xf32>
  %result_empty = tensor.empty() : tensor<3x20x32xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<3x20x32xf32>) -> tensor<3x20x32xf32>
  %weights_narrow_empty = tensor.empty() : tensor<3x20x32xbf16>
  %weights_narrow = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights : tensor<3x20x32xf32>) outs(%weights_narrow_empty : tensor<3x20x32xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<3x20x32xbf16>
  %result = linalg.batch_matmul ins(%weights_narrow, %value : tensor<3x20x32xbf16>, tensor<3x32x32xbf16>)
      outs(%result_zero : tensor<3x20x32xf32>) -> tensor<3x20x32xf32>
  %result_narrow_empty = tensor.empty() : tensor<3x20x32xbf16>
  %result_narrow = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%result : tensor<3x20x32xf32>) outs(%result_narrow_empty : tensor<3x20x32xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %close = arith.truncf %number : f32 to bf16
    linalg.yield %close : bf16
  } -> tensor<3x20x32xbf16>
  return %result_narrow : tensor<3x20x32xbf16>
}
