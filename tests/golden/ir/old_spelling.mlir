// Older spellings, read and printed as the newer ones.
#layout = affine_map<(d0, d1)[s0] -> (d0 * 8 + s0 + d1)>
func.func @old(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x4xf32>, %m: memref<4x8xf32, #layout, 3> {a.b} loc("m"("file":1:2)), %x: f32 loc(unknown)) -> tensor<4x4xf32> {
  %0 = linalg.matmul_transpose_b ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32> loc("file":1:2)
  %1 = arith.maxf %x, %x : f32
  %2 = arith.minf %x, %1 : f32
  %3 = tensor.expand_shape %c [[0, 1], [2]] : tensor<4x4xf32> into tensor<2x2x4xf32>
  %4 = linalg.map ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) (%in: f32 loc(unknown)) {
    %5 = arith.addf %in, %x : f32
    linalg.yield %5 : f32
  }
  %6 = linalg_ext.batch_matmul ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%0 : tensor<4x4xf32>) layout = "nt"  {__root__}
  %i = arith.constant 0 : index
  %7 = memref.load %m[%i, %i] : memref<4x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<workgroup>>
  return %6 : tensor<4x4xf32>
} loc(#loc)
transform.sequence  failures(propagate) {
^bb1(%arg1: !pdl.operation):
  %0 = transform.structured.match attributes{"__root__"} in %arg1 : (!pdl.operation) -> !pdl.operation
  %1, %loops:3 = transform.structured.fuse_ext %0 {tile_sizes = [2, 0, 8, 0, 4], tile_interchange = [0, 1, 4, 3, 2]}
  transform.structured.tile_loop_hint %1 : !pdl.operation
  cleanup
}
#loc = loc(unknown)
