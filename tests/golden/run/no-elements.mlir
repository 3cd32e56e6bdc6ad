// Attention without queries, and over no keys, however it is tiled.
// RUN: tcc-attn run %s --func=no_keys --random --check --verify
// RUN: tcc-attn run %s --func=no_keys --random --check --verify --fuse=off
// RUN: tcc-attn run %s --func=no_queries --random --check --verify
// RUN: tcc-attn run %s --func=no_queries --random --check --verify --fuse=off
// RUN: tcc-attn run %s --func=no_keys --random --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=no_queries --random --check --verify --device=ptx-emu

func.func @no_keys(%query: tensor<2x33x64xf32>, %key: tensor<2x0x64xf32>, %value: tensor<2x0x16xf32>) -> tensor<2x33x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x33x0xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x33x0xf32>) -> tensor<2x33x0xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<2x33x64xf32>, tensor<2x0x64xf32>) outs(%none : tensor<2x33x0xf32>) layout = "nt" -> tensor<2x33x0xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x33x0xf32>) outs(%empty : tensor<2x33x0xf32>) -> tensor<2x33x0xf32>
  %result_empty = tensor.empty() : tensor<2x33x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<2x33x16xf32>) -> tensor<2x33x16xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x33x0xf32>, tensor<2x0x16xf32>) outs(%zeros : tensor<2x33x16xf32>) -> tensor<2x33x16xf32>
  return %result : tensor<2x33x16xf32>
}

func.func @no_queries(%query: tensor<?x0x64xf32>, %key: tensor<?x15x64xf32>, %value: tensor<?x15x16xf32>) -> tensor<?x0x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %heads = tensor.dim %query, %c0 : tensor<?x0x64xf32>
  %empty = tensor.empty(%heads) : tensor<?x0x15xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x0x15xf32>) -> tensor<?x0x15xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<?x0x64xf32>, tensor<?x15x64xf32>) outs(%none : tensor<?x0x15xf32>) layout = "nt" -> tensor<?x0x15xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<?x0x15xf32>) outs(%empty : tensor<?x0x15xf32>) -> tensor<?x0x15xf32>
  %result_empty = tensor.empty(%heads) : tensor<?x0x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x0x16xf32>) -> tensor<?x0x16xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<?x0x15xf32>, tensor<?x15x16xf32>) outs(%zeros : tensor<?x0x16xf32>) -> tensor<?x0x16xf32>
  return %result : tensor<?x0x16xf32>
}
