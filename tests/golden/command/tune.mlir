// RUN: rm -rf %t && env XDG_CACHE_HOME=%t tcc-attn tune %s --random --threads=1 --seconds=2 | FileCheck --check-prefix=TUNE %s
// RUN: env XDG_CACHE_HOME=%t timeout --preserve-status -s INT 3 tcc-attn tune %s --random --threads=1 --seconds=600 | FileCheck --check-prefix=TUNE %s
// RUN: env XDG_CACHE_HOME=%t tcc-attn run %s --random --check | FileCheck --check-prefix=KEPT %s
// RUN: tcc-attn run %s --random --check --tiles=rows=16,reduction=100 | FileCheck --check-prefix=TILES %s
// RUN: not tcc-attn run %s --random --tiles=rows=16,depth=3 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not tcc-attn compile %s --target=nvptx:sm_80 --tiles=rows=16 -o %t.tecp 2>&1 | FileCheck --check-prefix=GPU %s
// TUNE: tune: of {{[0-9]+}} candidates, {{none is faster|.* is the fastest}}
// KEPT: run: tiles: forall
// TILES: run: tiles: forall 16x128, for 100
// WRONG: tcc-attn: --tiles wants sizes as in rows=64,columns=128,reduction=256,softmax=128, not 'rows=16,depth=3'
// GPU: error: tile sizes are for the host; on a GPU they follow from its registers
func.func @product(%a: tensor<64x600xf32>, %b: tensor<600x200xf32>) -> tensor<64x200xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x200xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x200xf32>) -> tensor<64x200xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x600xf32>, tensor<600x200xf32>) outs(%start : tensor<64x200xf32>)
      -> tensor<64x200xf32>
  return %c : tensor<64x200xf32>
}
