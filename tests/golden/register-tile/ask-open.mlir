// Where requests get lost, tiles of rows ask for the next panel's memory. How many rows there are is not known here: a
// few ask for all of it only if each term asks for two lines.
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir -o - --verify | FileCheck %s

// CHECK: vector_ext.prefetch {{.*}} : memref<128x64xf32, strided<[64, 1], offset: ?>>
// CHECK-NOT: vector.contract
// CHECK: vector_ext.prefetch {{.*}} : memref<128x64xf32, strided<[64, 1], offset: ?>>
// CHECK: vector.contract {{.*}} vector<6x1xf32>, vector<1x64xf32> into vector<6x64xf32>
func.func @attention(%query: tensor<?x64xf32>, %key: tensor<16384x64xf32>, %value: tensor<16384x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %query, %c0 : tensor<?x64xf32>
  %scores_empty = tensor.empty(%rows) : tensor<?x16384xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x16384xf32>) -> tensor<?x16384xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                           affine_map<(i, j, k) -> (i, j)>]
      ins(%query, %key : tensor<?x64xf32>, tensor<16384x64xf32>) outs(%scores_zero : tensor<?x16384xf32>)
      -> tensor<?x16384xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<?x16384xf32>) outs(%scores_empty : tensor<?x16384xf32>)
      -> tensor<?x16384xf32>
  %result_empty = tensor.empty(%rows) : tensor<?x64xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<?x16384xf32>, tensor<16384x64xf32>)
      outs(%result_zero : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}
