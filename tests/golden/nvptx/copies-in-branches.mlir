// Few features in f32: some lanes of a block have no part in a copy to shared memory, so it stands in a branch. What it
// brings arrives with the wait all the same: a barrier stands behind that.
// RUN: tcc-attn run %s --random --check --target=nvptx:sm_90 --device=ptx-emu
// RUN: tcc-attn run %s --random --check --target=nvptx:sm_80 --device=ptx-emu

func.func @attention(%query: tensor<64x32xf32>, %key: tensor<33x32xf32>, %value: tensor<33x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<64x33xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<64x33xf32>) -> tensor<64x33xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<64x32xf32>, tensor<33x32xf32>) outs(%scores_zero : tensor<64x33xf32>) layout = "nt" -> tensor<64x33xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<64x33xf32>) outs(%scores_empty : tensor<64x33xf32>) -> tensor<64x33xf32>
  %result_empty = tensor.empty() : tensor<64x16xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<64x33xf32>, tensor<33x16xf32>) outs(%result_zero : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %result : tensor<64x16xf32>
}
