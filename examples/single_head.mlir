// Attention for one head of 512 queries and keys with 64 features each, on whole tensors.
func.func @attention(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<512x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %scores = linalg_ext.batch_matmul ins(%q, %k : tensor<512x64xf32>, tensor<512x64xf32>) outs(%s0 : tensor<512x512xf32>) layout = "nt" -> tensor<512x512xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<512x512xf32>) outs(%e0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %e1 = tensor.empty() : tensor<512x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.matmul ins(%weights, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%r0 : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}
