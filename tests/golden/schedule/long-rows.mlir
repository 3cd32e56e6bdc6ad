// What long rows are reduced to is few elements, of much work each: rows are shared out, and what is summed is made in
// the same kernel, also where all rows of the result fit in one tile. Columns are summed over long pieces of rows.
// RUN: tcc-attn explain %s --target=host:x86-64-v3 --cores=2 | FileCheck %s
// RUN: tcc-attn run %s --func=rows --random --check

// CHECK-LABEL: @rows (
// CHECK: kernel 1: 2 reductions
// CHECK: 1 kernel, with nothing in memory between
func.func @rows(%x: tensor<256x3200xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<256xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<256x3200xf32>) outs(%f : tensor<256xf32>) dimensions = [1]
  %b = tensor.empty() : tensor<256x3200xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<256x3200xf32>, tensor<256xf32>) outs(%b : tensor<256x3200xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.subf %a, %c : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x3200xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<256x3200xf32>) outs(%g : tensor<256xf32>) dimensions = [1]
  return %s : tensor<256xf32>
}
