// {"shapes": [[2, 40, 2, 8], [2, 150, 2, 8], [2, 150, 2, 8]], "spreads": [2.0, 2.0, 1.0], "error": 1.33e-06}
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @einsum(%arg0: tensor<2x40x2x8xf32>, %arg1: tensor<2x150x2x8xf32>, %arg2: tensor<2x150x2x8xf32>) -> tensor<2x40x2x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.8284271247461903 : f64
    %0 = tensor.empty() : tensor<2x40x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x40x2x8xf32>) outs(%0 : tensor<2x40x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.truncf %cst_1 : f64 to f32
      %26 = arith.divf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<2x40x2x8xf32>
    %expanded = tensor.expand_shape %1 [[0], [1], [2], [3, 4]] output_shape [2, 40, 2, 8, 1] : tensor<2x40x2x8xf32> into tensor<2x40x2x8x1xf32>
    %expanded_2 = tensor.expand_shape %arg1 [[0], [1], [2], [3, 4]] output_shape [2, 150, 2, 8, 1] : tensor<2x150x2x8xf32> into tensor<2x150x2x8x1xf32>
    %2 = tensor.empty() : tensor<2x2x40x8x1xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<2x40x2x8x1xf32>) outs(%2 : tensor<2x2x40x8x1xf32>) permutation = [0, 2, 1, 3, 4] 
    %collapsed = tensor.collapse_shape %transposed [[0, 1], [2], [3, 4]] : tensor<2x2x40x8x1xf32> into tensor<4x40x8xf32>
    %3 = tensor.empty() : tensor<2x2x8x150x1xf32>
    %transposed_3 = linalg.transpose ins(%expanded_2 : tensor<2x150x2x8x1xf32>) outs(%3 : tensor<2x2x8x150x1xf32>) permutation = [0, 2, 3, 1, 4] 
    %collapsed_4 = tensor.collapse_shape %transposed_3 [[0, 1], [2], [3, 4]] : tensor<2x2x8x150x1xf32> into tensor<4x8x150xf32>
    %4 = tensor.empty() : tensor<4x40x150xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<4x40x150xf32>) -> tensor<4x40x150xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<4x40x8xf32>, tensor<4x8x150xf32>) outs(%5 : tensor<4x40x150xf32>) -> tensor<4x40x150xf32>
    %expanded_5 = tensor.expand_shape %6 [[0, 1], [2], [3, 4]] output_shape [2, 2, 40, 1, 150] : tensor<4x40x150xf32> into tensor<2x2x40x1x150xf32>
    %7 = tensor.empty() : tensor<2x2x40x150x1xf32>
    %transposed_6 = linalg.transpose ins(%expanded_5 : tensor<2x2x40x1x150xf32>) outs(%7 : tensor<2x2x40x150x1xf32>) permutation = [0, 1, 2, 4, 3] 
    %collapsed_7 = tensor.collapse_shape %transposed_6 [[0], [1], [2], [3, 4]] : tensor<2x2x40x150x1xf32> into tensor<2x2x40x150xf32>
    %8 = tensor.empty() : tensor<2x2x40xi64>
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<2x2x40xi64>) -> tensor<2x2x40xi64>
    %10 = tensor.empty() : tensor<2x2x40xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x2x40xf32>) -> tensor<2x2x40xf32>
    %12:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_7 : tensor<2x2x40x150xf32>) outs(%11, %9 : tensor<2x2x40xf32>, tensor<2x2x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_16: i64):
      %25 = linalg.index 3 : index
      %26 = arith.index_cast %25 : index to i64
      %27 = arith.maximumf %in, %out : f32
      %28 = arith.cmpf ogt, %in, %out : f32
      %29 = arith.select %28, %26, %out_16 : i64
      linalg.yield %27, %29 : f32, i64
    } -> (tensor<2x2x40xf32>, tensor<2x2x40xi64>)
    %expanded_8 = tensor.expand_shape %12#0 [[0], [1], [2, 3]] output_shape [2, 2, 40, 1] : tensor<2x2x40xf32> into tensor<2x2x40x1xf32>
    %13 = tensor.empty() : tensor<2x2x40x150xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_7, %expanded_8 : tensor<2x2x40x150xf32>, tensor<2x2x40x1xf32>) outs(%13 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %25 = arith.subf %in, %in_16 : f32
      linalg.yield %25 : f32
    } -> tensor<2x2x40x150xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x40x150xf32>) outs(%13 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = math.exp %in : f32
      linalg.yield %25 : f32
    } -> tensor<2x2x40x150xf32>
    %16 = tensor.empty() : tensor<2x2x40x1xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<2x2x40x1xf32>) -> tensor<2x2x40x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x40x150xf32>) outs(%17 : tensor<2x2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %in, %out : f32
      linalg.yield %25 : f32
    } -> tensor<2x2x40x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x2x40x150xf32>, tensor<2x2x40x1xf32>) outs(%13 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %25 = arith.divf %in, %in_16 : f32
      linalg.yield %25 : f32
    } -> tensor<2x2x40x150xf32>
    %expanded_9 = tensor.expand_shape %arg2 [[0], [1], [2], [3, 4]] output_shape [2, 150, 2, 8, 1] : tensor<2x150x2x8xf32> into tensor<2x150x2x8x1xf32>
    %collapsed_10 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<2x2x40x150xf32> into tensor<4x40x150xf32>
    %20 = tensor.empty() : tensor<2x2x150x8x1xf32>
    %transposed_11 = linalg.transpose ins(%expanded_9 : tensor<2x150x2x8x1xf32>) outs(%20 : tensor<2x2x150x8x1xf32>) permutation = [0, 2, 1, 3, 4] 
    %collapsed_12 = tensor.collapse_shape %transposed_11 [[0, 1], [2], [3, 4]] : tensor<2x2x150x8x1xf32> into tensor<4x150x8xf32>
    %21 = tensor.empty() : tensor<4x40x8xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %23 = linalg.batch_matmul ins(%collapsed_10, %collapsed_12 : tensor<4x40x150xf32>, tensor<4x150x8xf32>) outs(%22 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %expanded_13 = tensor.expand_shape %23 [[0, 1], [2], [3, 4]] output_shape [2, 2, 40, 1, 8] : tensor<4x40x8xf32> into tensor<2x2x40x1x8xf32>
    %24 = tensor.empty() : tensor<2x40x2x8x1xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x2x40x1x8xf32>) outs(%24 : tensor<2x40x2x8x1xf32>) permutation = [0, 2, 1, 4, 3] 
    %collapsed_15 = tensor.collapse_shape %transposed_14 [[0], [1], [2], [3, 4]] : tensor<2x40x2x8x1xf32> into tensor<2x40x2x8xf32>
    return %collapsed_15 : tensor<2x40x2x8xf32>
  }
}
