// Attention without queries, and over no keys, however it is tiled; and a reshape of a buffer without elements, whose
// strides are 0.
// RUN: tcc-attn run %s --func=no_keys --random --check --verify
// RUN: tcc-attn run %s --func=no_keys --random --check --verify --fuse=off
// RUN: tcc-attn run %s --func=no_queries --random --check --verify
// RUN: tcc-attn run %s --func=no_queries --random --check --verify --fuse=off
// RUN: tcc-attn run %s --func=no_keys --random --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=no_queries --random --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=nothing_merged --random --dims=5 --check --verify
// RUN: tcc-attn run %s --func=nothing_merged --random --dims=5 --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=outer_merged --random --check --verify

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

func.func @nothing_merged(%a: tensor<?x3x3x0xf16>, %b: tensor<0x3xf16>) -> tensor<?x3x3x0x0xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x3x3x0xf16>
  %flat = tensor.collapse_shape %b [[0, 1]] : tensor<0x3xf16> into tensor<0xf16>
  %empty = tensor.empty(%n) : tensor<?x3x3x0x0xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a, c, d, b, m) -> (a, c, d, b)>, affine_map<(a, c, d, b, m) -> (m)>, affine_map<(a, c, d, b, m) -> (a, c, d, b, m)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%a, %flat : tensor<?x3x3x0xf16>, tensor<0xf16>) outs(%empty : tensor<?x3x3x0x0xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %t = arith.maximumf %x, %y : f16
    linalg.yield %t : f16
  } -> tensor<?x3x3x0x0xf16>
  return %r : tensor<?x3x3x0x0xf16>
}

// In the interpreter, too.
func.func @outer_merged(%x: tensor<3x0x1xf32>, %y: tensor<3x1x1xf32>) -> tensor<0x1xf32> {
  %empty = tensor.empty() : tensor<3x0x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, 0, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %y : tensor<3x0x1xf32>, tensor<3x1x1xf32>) outs(%empty : tensor<3x0x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<3x0x1xf32>
  %m = tensor.collapse_shape %r [[0, 1], [2]] : tensor<3x0x1xf32> into tensor<0x1xf32>
  return %m : tensor<0x1xf32>
}
