// However attention is spelled, it becomes the same code: examples/attention.mlir has dense constants, arith on tensors and
// softmax as one op; here are fills, maps, a contraction, and softmax by hand.
// RUN: tcc-attn compile %s --target=host:znver4 --cores=2 --emit=asm -o %t.s
// RUN: tcc-attn compile %examples/attention.mlir --target=host:znver4 --cores=2 --emit=asm -o %t.example.s
// RUN: cmp %t.s %t.example.s
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --cores=2 --emit=asm -o %t.s
// RUN: tcc-attn compile %examples/attention.mlir --target=host:x86-64-v3 --cores=2 --emit=asm -o %t.example.s
// RUN: cmp %t.s %t.example.s
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx -o %t.ptx
// RUN: tcc-attn compile %examples/attention.mlir --target=nvptx:sm_90 --emit=ptx -o %t.example.ptx
// RUN: cmp %t.ptx %t.example.ptx
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=spirv -o %t.spv
// RUN: tcc-attn compile %examples/attention.mlir --target=spirv:pvc --emit=spirv -o %t.example.spv
// RUN: cmp %t.spv %t.example.spv
#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
func.func @attention(%query: tensor<8x1024x64xf32>, %key: tensor<8x1024x64xf32>, %value: tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<8x1024x1024xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %scores = linalg.contract indexing_maps = [#q, #k, #s] ins(%query, %key : tensor<8x1024x64xf32>, tensor<8x1024x64xf32>)
      outs(%scores_zero : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %scaled = linalg.map ins(%scores : tensor<8x1024x1024xf32>) outs(%scores_empty : tensor<8x1024x1024xf32>)
    (%score: f32, %out: f32) {
      %product = arith.mulf %score, %scale : f32
      linalg.yield %product : f32
    }
  %rows_empty = tensor.empty() : tensor<8x1024xf32>
  %rows_lowest = linalg.fill ins(%lowest : f32) outs(%rows_empty : tensor<8x1024xf32>) -> tensor<8x1024xf32>
  %maximum = linalg.reduce { arith.maximumf } ins(%scaled : tensor<8x1024x1024xf32>) outs(%rows_lowest : tensor<8x1024xf32>) dimensions = [2]
  %maxima = linalg.broadcast ins(%maximum : tensor<8x1024xf32>) outs(%scores_empty : tensor<8x1024x1024xf32>) dimensions = [2]
  %difference = linalg.sub ins(%scaled, %maxima : tensor<8x1024x1024xf32>, tensor<8x1024x1024xf32>) outs(%scores_empty : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %power = math.exp %difference : tensor<8x1024x1024xf32>
  %rows_zero = tensor.splat %zero : tensor<8x1024xf32>
  %sum = linalg.reduce { arith.addf } ins(%power : tensor<8x1024x1024xf32>) outs(%rows_zero : tensor<8x1024xf32>) dimensions = [2]
  %result_zero = tensor.splat %zero : tensor<8x1024x64xf32>
  %unscaled = linalg.batch_matmul ins(%power, %value : tensor<8x1024x1024xf32>, tensor<8x1024x64xf32>)
      outs(%result_zero : tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  %result_empty = tensor.empty() : tensor<8x1024x64xf32>
  %sums = linalg.broadcast ins(%sum : tensor<8x1024xf32>) outs(%result_empty : tensor<8x1024x64xf32>) dimensions = [2]
  %result = arith.divf %unscaled, %sums : tensor<8x1024x64xf32>
  return %result : tensor<8x1024x64xf32>
}
