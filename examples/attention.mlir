// Attention for 8 heads of 1024 queries and keys with 64 features each, written as plain tensor ops. Nothing in it says how
// to fuse; compiled for a host, it becomes one loop that never holds the 1024 x 1024 scores.
func.func @attention(%query: tensor<8x1024x64xf32>, %key: tensor<8x1024x64xf32>, %value: tensor<8x1024x64xf32>)
    -> tensor<8x1024x64xf32> {
  // scores = query key^T
  %key_empty = tensor.empty() : tensor<8x64x1024xf32>
  %key_transposed = linalg.transpose ins(%key : tensor<8x1024x64xf32>) outs(%key_empty : tensor<8x64x1024xf32>)
      permutation = [0, 2, 1]
  %scores_zero = arith.constant dense<0.0> : tensor<8x1024x1024xf32>
  %scores = linalg.batch_matmul
      ins(%query, %key_transposed : tensor<8x1024x64xf32>, tensor<8x64x1024xf32>)
      outs(%scores_zero : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>

  // weights = softmax(scores / sqrt(64))
  %scale = arith.constant dense<0.125> : tensor<8x1024x1024xf32>
  %scaled = arith.mulf %scores, %scale : tensor<8x1024x1024xf32>
  %weights_empty = tensor.empty() : tensor<8x1024x1024xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<8x1024x1024xf32>)
      outs(%weights_empty : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>

  // result = weights value
  %result_zero = arith.constant dense<0.0> : tensor<8x1024x64xf32>
  %result = linalg.batch_matmul
      ins(%weights, %value : tensor<8x1024x1024xf32>, tensor<8x1024x64xf32>)
      outs(%result_zero : tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  return %result : tensor<8x1024x64xf32>
}
