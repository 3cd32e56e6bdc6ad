// {"shapes": [[1, 2, 40, 8], [1, 2, 150, 8], [1, 2, 150, 8], [2, 300], [40, 150]], "spreads": [2.0, 2.0, 1.0, 2.0, 300], "error": 6.92e-07}
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, 0, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @gathered_bias(%arg0: tensor<1x2x40x8xf32>, %arg1: tensor<1x2x150x8xf32>, %arg2: tensor<1x2x150x8xf32>, %arg3: tensor<2x300xf32>, %arg4: tensor<40x150xi64>) -> tensor<1x2x40x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c300_i64 = arith.constant 300 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.8284271247461903 : f64
    %0 = tensor.empty() : tensor<1x2x8x150xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<1x2x150x8xf32>) outs(%0 : tensor<1x2x8x150xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<1x2x40x8xf32> into tensor<2x40x8xf32>
    %collapsed_2 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<1x2x8x150xf32> into tensor<2x8x150xf32>
    %1 = tensor.empty() : tensor<2x40x150xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x40x150xf32>) -> tensor<2x40x150xf32>
    %3 = linalg.batch_matmul ins(%collapsed, %collapsed_2 : tensor<2x40x8xf32>, tensor<2x8x150xf32>) outs(%2 : tensor<2x40x150xf32>) -> tensor<2x40x150xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [1, 2, 40, 150] : tensor<2x40x150xf32> into tensor<1x2x40x150xf32>
    %4 = tensor.empty() : tensor<1x2x40x150xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x2x40x150xf32>) outs(%4 : tensor<1x2x40x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.truncf %cst_1 : f64 to f32
      %25 = arith.divf %in, %24 : f32
      linalg.yield %25 : f32
    } -> tensor<1x2x40x150xf32>
    %6 = tensor.empty() : tensor<2xi64>
    %7 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%6 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %24 = linalg.index 0 : index
      %25 = arith.index_cast %24 : index to i64
      linalg.yield %25 : i64
    } -> tensor<2xi64>
    %expanded_3 = tensor.expand_shape %7 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xi64> into tensor<2x1x1xi64>
    %8 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_3, %arg4 : tensor<2x1x1xi64>, tensor<40x150xi64>) outs(%1 : tensor<2x40x150xf32>) {
    ^bb0(%in: i64, %in_8: i64, %out: f32):
      %24 = arith.cmpi slt, %in, %c0_i64 : i64
      %25 = arith.addi %in, %c2_i64 : i64
      %26 = arith.select %24, %25, %in : i64
      %27 = arith.index_cast %26 : i64 to index
      %28 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %29 = arith.addi %in_8, %c300_i64 : i64
      %30 = arith.select %28, %29, %in_8 : i64
      %31 = arith.index_cast %30 : i64 to index
      %extracted = tensor.extract %arg3[%27, %31] : tensor<2x300xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x40x150xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %8 : tensor<1x2x40x150xf32>, tensor<2x40x150xf32>) outs(%4 : tensor<1x2x40x150xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %24 = arith.addf %in, %in_8 : f32
      linalg.yield %24 : f32
    } -> tensor<1x2x40x150xf32>
    %10 = tensor.empty() : tensor<1x2x40xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<1x2x40xi64>) -> tensor<1x2x40xi64>
    %12 = tensor.empty() : tensor<1x2x40xf32>
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<1x2x40xf32>) -> tensor<1x2x40xf32>
    %14:2 = linalg.generic {indexing_maps = [#map, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<1x2x40x150xf32>) outs(%13, %11 : tensor<1x2x40xf32>, tensor<1x2x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_8: i64):
      %24 = linalg.index 3 : index
      %25 = arith.index_cast %24 : index to i64
      %26 = arith.maximumf %in, %out : f32
      %27 = arith.cmpf ogt, %in, %out : f32
      %28 = arith.select %27, %25, %out_8 : i64
      linalg.yield %26, %28 : f32, i64
    } -> (tensor<1x2x40xf32>, tensor<1x2x40xi64>)
    %expanded_4 = tensor.expand_shape %14#0 [[0], [1], [2, 3]] output_shape [1, 2, 40, 1] : tensor<1x2x40xf32> into tensor<1x2x40x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_4 : tensor<1x2x40x150xf32>, tensor<1x2x40x1xf32>) outs(%4 : tensor<1x2x40x150xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %24 = arith.subf %in, %in_8 : f32
      linalg.yield %24 : f32
    } -> tensor<1x2x40x150xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x2x40x150xf32>) outs(%4 : tensor<1x2x40x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = math.exp %in : f32
      linalg.yield %24 : f32
    } -> tensor<1x2x40x150xf32>
    %17 = tensor.empty() : tensor<1x2x40x1xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<1x2x40x1xf32>) -> tensor<1x2x40x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<1x2x40x150xf32>) outs(%18 : tensor<1x2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %in, %out : f32
      linalg.yield %24 : f32
    } -> tensor<1x2x40x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %19 : tensor<1x2x40x150xf32>, tensor<1x2x40x1xf32>) outs(%4 : tensor<1x2x40x150xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %24 = arith.divf %in, %in_8 : f32
      linalg.yield %24 : f32
    } -> tensor<1x2x40x150xf32>
    %collapsed_5 = tensor.collapse_shape %20 [[0, 1], [2], [3]] : tensor<1x2x40x150xf32> into tensor<2x40x150xf32>
    %collapsed_6 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<1x2x150x8xf32> into tensor<2x150x8xf32>
    %21 = tensor.empty() : tensor<2x40x8xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
    %23 = linalg.batch_matmul ins(%collapsed_5, %collapsed_6 : tensor<2x40x150xf32>, tensor<2x150x8xf32>) outs(%22 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
    %expanded_7 = tensor.expand_shape %23 [[0, 1], [2], [3]] output_shape [1, 2, 40, 8] : tensor<2x40x8xf32> into tensor<1x2x40x8xf32>
    return %expanded_7 : tensor<1x2x40x8xf32>
  }
}
