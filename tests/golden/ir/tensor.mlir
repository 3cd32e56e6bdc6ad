// Tensor ops, static and dynamic.
func.func @tensors(%t: tensor<16x?xf32>, %i: index, %x: f32) -> tensor<16x?xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.empty(%i) : tensor<16x?xf32>
  %1 = tensor.dim %t, %c1 : tensor<16x?xf32>
  %2 = tensor.extract_slice %t[%i, 0] [4, %1] [1, 1] : tensor<16x?xf32> to tensor<4x?xf32>
  %3 = tensor.insert_slice %2 into %t[%i, 0] [4, %1] [1, 1] {tag} : tensor<4x?xf32> into tensor<16x?xf32>
  %4 = tensor.extract_slice %t[0, %i] [1, 8] [1, 2] : tensor<16x?xf32> to tensor<8xf32>
  %5 = tensor.extract %t[%i, %c1] : tensor<16x?xf32>
  %6 = tensor.insert %5 into %3[%i, %c1] : tensor<16x?xf32>
  %7 = tensor.from_elements %x, %5 : tensor<2xf32>
  %8 = tensor.expand_shape %4 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %9 = tensor.collapse_shape %8 [[0, 1]] {tag} : tensor<2x4xf32> into tensor<8xf32>
  %10 = tensor.expand_shape %t [[0], [1, 2]] output_shape [16, %i, 4] : tensor<16x?xf32> into tensor<16x?x4xf32>
  %sizes = tensor.from_elements %c1, %i : tensor<2xindex>
  %reshaped = tensor.reshape %8(%sizes) : (tensor<2x4xf32>, tensor<2xindex>) -> tensor<1x?xf32>
  %11 = tensor.pad %9 nofold low[1] high[%i] {
  ^bb0(%p: index):
    tensor.yield %x : f32
  } : tensor<8xf32> to tensor<?xf32>
  %splat = tensor.splat %x[%1] {tag} : tensor<16x?xf32>
  %generated = tensor.generate %1 {
  ^bb0(%row: index, %column: index):
    %element = tensor.extract %splat[%row, %column] : tensor<16x?xf32>
    tensor.yield %element : f32
  } {tag} : tensor<16x?xf32>
  %12 = tensor.cast %11 : tensor<?xf32> to tensor<12xf32>
  %13 = tensor.concat dim(0) %8, %8 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %14 = arith.cmpi ne, %1, %c1 : index
  cf.assert %14, "more than one column"
  return %6 : tensor<16x?xf32>
}
