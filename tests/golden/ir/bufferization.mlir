// A memref argument that a function reads and writes as a tensor.
func.func @append(%row: tensor<4xf32>, %cache: memref<?x4xf32>, %at: index) {
  %0 = bufferization.to_tensor %cache restrict writable : memref<?x4xf32> to tensor<?x4xf32>
  %inserted_slice = tensor.insert_slice %row into %0[%at, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
  bufferization.materialize_in_destination %inserted_slice in restrict writable %cache {tag} : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
  return
}
func.func @reads(%cache: memref<2xf32>) -> tensor<2xf32> {
  %0 = bufferization.to_tensor %cache restrict : memref<2xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
