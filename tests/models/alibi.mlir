// {"shapes": [[1, 4, 150, 8], [1, 4, 150, 8], [1, 4, 150, 8]], "spreads": [2.0, 2.0, 1.0], "error": 7.22e-07}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2) -> (d0, 0, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @alibi(%arg0: tensor<1x4x150x8xf32>, %arg1: tensor<1x4x150x8xf32>, %arg2: tensor<1x4x150x8xf32>) -> tensor<1x4x150x8xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant 2.8284271247461903 : f64
    %cst_3 = arith.constant 2.000000e+00 : f32
    %0 = tensor.empty() : tensor<4xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %35 = linalg.index 0 : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.addi %36, %c1_i64 : i64
      linalg.yield %37 : i64
    } -> tensor<4xi64>
    %expanded = tensor.expand_shape %1 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xi64> into tensor<4x1x1xi64>
    %2 = tensor.empty() : tensor<4x1x1xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi64>) outs(%2 : tensor<4x1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %35 = arith.sitofp %in : i64 to f32
      %36 = arith.negf %35 : f32
      %37 = arith.fptosi %36 : f32 to i64
      linalg.yield %37 : i64
    } -> tensor<4x1x1xi64>
    %4 = tensor.empty() : tensor<4x1x1xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<4x1x1xi64>) outs(%4 : tensor<4x1x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %35 = arith.sitofp %in : i64 to f32
      %36 = math.powf %cst_3, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<4x1x1xf32>
    %6 = tensor.empty() : tensor<150xi64>
    %7 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%6 : tensor<150xi64>) {
    ^bb0(%out: i64):
      %35 = linalg.index 0 : index
      %36 = arith.index_cast %35 : index to i64
      linalg.yield %36 : i64
    } -> tensor<150xi64>
    %expanded_4 = tensor.expand_shape %7 [[0, 1]] output_shape [1, 150] : tensor<150xi64> into tensor<1x150xi64>
    %expanded_5 = tensor.expand_shape %7 [[0, 1]] output_shape [150, 1] : tensor<150xi64> into tensor<150x1xi64>
    %8 = tensor.empty() : tensor<150x150xi64>
    %9 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_4, %expanded_5 : tensor<1x150xi64>, tensor<150x1xi64>) outs(%8 : tensor<150x150xi64>) {
    ^bb0(%in: i64, %in_12: i64, %out: i64):
      %35 = arith.subi %in, %in_12 : i64
      linalg.yield %35 : i64
    } -> tensor<150x150xi64>
    %10 = tensor.empty() : tensor<1x4x8x150xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<1x4x150x8xf32>) outs(%10 : tensor<1x4x8x150xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<1x4x150x8xf32> into tensor<4x150x8xf32>
    %collapsed_6 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<1x4x8x150xf32> into tensor<4x8x150xf32>
    %11 = tensor.empty() : tensor<4x150x150xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4x150x150xf32>) -> tensor<4x150x150xf32>
    %13 = linalg.batch_matmul ins(%collapsed, %collapsed_6 : tensor<4x150x8xf32>, tensor<4x8x150xf32>) outs(%12 : tensor<4x150x150xf32>) -> tensor<4x150x150xf32>
    %expanded_7 = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [1, 4, 150, 150] : tensor<4x150x150xf32> into tensor<1x4x150x150xf32>
    %14 = tensor.empty() : tensor<1x4x150x150xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7 : tensor<1x4x150x150xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.truncf %cst_2 : f64 to f32
      %36 = arith.divf %in, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<1x4x150x150xf32>
    %16 = linalg.generic {indexing_maps = [#map6, #map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %9 : tensor<4x1x1xf32>, tensor<150x150xi64>) outs(%11 : tensor<4x150x150xf32>) {
    ^bb0(%in: f32, %in_12: i64, %out: f32):
      %35 = arith.sitofp %in_12 : i64 to f32
      %36 = arith.mulf %in, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<4x150x150xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %16 : tensor<1x4x150x150xf32>, tensor<4x150x150xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %35 = arith.addf %in, %in_12 : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x150xf32>
    %18 = tensor.empty() : tensor<150x150xi1>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<150x150xi64>) outs(%18 : tensor<150x150xi1>) {
    ^bb0(%in: i64, %out: i1):
      %35 = arith.cmpi sgt, %in, %c0_i64 : i64
      linalg.yield %35 : i1
    } -> tensor<150x150xi1>
    %20 = linalg.generic {indexing_maps = [#map9, #map10, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %cst_1, %17 : tensor<150x150xi1>, tensor<f32>, tensor<1x4x150x150xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: i1, %in_12: f32, %in_13: f32, %out: f32):
      %35 = arith.select %in, %in_12, %in_13 : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x150xf32>
    %21 = tensor.empty() : tensor<1x4x150xi64>
    %22 = linalg.fill ins(%c0_i64 : i64) outs(%21 : tensor<1x4x150xi64>) -> tensor<1x4x150xi64>
    %23 = tensor.empty() : tensor<1x4x150xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<1x4x150xf32>) -> tensor<1x4x150xf32>
    %25:2 = linalg.generic {indexing_maps = [#map5, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<1x4x150x150xf32>) outs(%24, %22 : tensor<1x4x150xf32>, tensor<1x4x150xi64>) {
    ^bb0(%in: f32, %out: f32, %out_12: i64):
      %35 = linalg.index 3 : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.maximumf %in, %out : f32
      %38 = arith.cmpf ogt, %in, %out : f32
      %39 = arith.select %38, %36, %out_12 : i64
      linalg.yield %37, %39 : f32, i64
    } -> (tensor<1x4x150xf32>, tensor<1x4x150xi64>)
    %expanded_8 = tensor.expand_shape %25#0 [[0], [1], [2, 3]] output_shape [1, 4, 150, 1] : tensor<1x4x150xf32> into tensor<1x4x150x1xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_8 : tensor<1x4x150x150xf32>, tensor<1x4x150x1xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %35 = arith.subf %in, %in_12 : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x150xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<1x4x150x150xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x150xf32>
    %28 = tensor.empty() : tensor<1x4x150x1xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<1x4x150x1xf32>) -> tensor<1x4x150x1xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27 : tensor<1x4x150x150xf32>) outs(%29 : tensor<1x4x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %out : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x1xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %30 : tensor<1x4x150x150xf32>, tensor<1x4x150x1xf32>) outs(%14 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %35 = arith.divf %in, %in_12 : f32
      linalg.yield %35 : f32
    } -> tensor<1x4x150x150xf32>
    %collapsed_9 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<1x4x150x150xf32> into tensor<4x150x150xf32>
    %collapsed_10 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<1x4x150x8xf32> into tensor<4x150x8xf32>
    %32 = tensor.empty() : tensor<4x150x8xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<4x150x8xf32>) -> tensor<4x150x8xf32>
    %34 = linalg.batch_matmul ins(%collapsed_9, %collapsed_10 : tensor<4x150x150xf32>, tensor<4x150x8xf32>) outs(%33 : tensor<4x150x8xf32>) -> tensor<4x150x8xf32>
    %expanded_11 = tensor.expand_shape %34 [[0, 1], [2], [3]] output_shape [1, 4, 150, 8] : tensor<4x150x8xf32> into tensor<1x4x150x8xf32>
    return %expanded_11 : tensor<1x4x150x8xf32>
  }
}
