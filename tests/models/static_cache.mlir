// {"shapes": [[2, 2, 3, 8], [2, 2, 3, 8], [2, 2, 3, 8], [2, 2, 150, 8], [2, 2, 150, 8], [1]], "spreads": [2.0, 2.0, 1.0, 2.0, 1.0, 140.0], "error": 4.29e-07}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map7 = affine_map<(d0, d1) -> (0, d1)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @static_cache(%arg0: tensor<2x2x3x8xf32>, %arg1: tensor<2x2x3x8xf32>, %arg2: tensor<2x2x3x8xf32>, %arg3: tensor<2x2x150x8xf32>, %arg4: tensor<2x2x150x8xf32>, %arg5: tensor<1xi64>) -> tensor<2x2x3x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x3x150xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0.59460355750136051 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<3xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i64
      linalg.yield %50 : i64
    } -> tensor<3xi64>
    %2 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%arg5, %1 : tensor<1xi64>, tensor<3xi64>) outs(%0 : tensor<3xi64>) {
    ^bb0(%in: i64, %in_25: i64, %out: i64):
      %49 = arith.addi %in, %in_25 : i64
      linalg.yield %49 : i64
    } -> tensor<3xi64>
    %3 = tensor.empty() : tensor<8xi64>
    %4 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%3 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i64
      linalg.yield %50 : i64
    } -> tensor<8xi64>
    %5 = tensor.empty() : tensor<2xi64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%5 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i64
      linalg.yield %50 : i64
    } -> tensor<2xi64>
    %7 = tensor.empty() : tensor<2x2x3x8xi64>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2xi64>) outs(%7 : tensor<2x2x3x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x2x3x8xi64>
    %collapsed = tensor.collapse_shape %8 [[0, 1, 2, 3]] : tensor<2x2x3x8xi64> into tensor<96xi64>
    %9 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2xi64>) outs(%7 : tensor<2x2x3x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x2x3x8xi64>
    %collapsed_6 = tensor.collapse_shape %9 [[0, 1, 2, 3]] : tensor<2x2x3x8xi64> into tensor<96xi64>
    %10 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<3xi64>) outs(%7 : tensor<2x2x3x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x2x3x8xi64>
    %collapsed_7 = tensor.collapse_shape %10 [[0, 1, 2, 3]] : tensor<2x2x3x8xi64> into tensor<96xi64>
    %11 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<8xi64>) outs(%7 : tensor<2x2x3x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x2x3x8xi64>
    %collapsed_8 = tensor.collapse_shape %11 [[0, 1, 2, 3]] : tensor<2x2x3x8xi64> into tensor<96xi64>
    %expanded = tensor.expand_shape %collapsed [[0, 1]] output_shape [96, 1] : tensor<96xi64> into tensor<96x1xi64>
    %expanded_9 = tensor.expand_shape %collapsed_6 [[0, 1]] output_shape [96, 1] : tensor<96xi64> into tensor<96x1xi64>
    %expanded_10 = tensor.expand_shape %collapsed_7 [[0, 1]] output_shape [96, 1] : tensor<96xi64> into tensor<96x1xi64>
    %expanded_11 = tensor.expand_shape %collapsed_8 [[0, 1]] output_shape [96, 1] : tensor<96xi64> into tensor<96x1xi64>
    %concat = tensor.concat dim(1) %expanded, %expanded_9, %expanded_10, %expanded_11 : (tensor<96x1xi64>, tensor<96x1xi64>, tensor<96x1xi64>, tensor<96x1xi64>) -> tensor<96x4xi64>
    %collapsed_12 = tensor.collapse_shape %arg1 [[0, 1, 2, 3]] : tensor<2x2x3x8xf32> into tensor<96xf32>
    %expanded_13 = tensor.expand_shape %collapsed_12 [[0, 1, 2, 3, 4]] output_shape [96, 1, 1, 1, 1] : tensor<96xf32> into tensor<96x1x1x1x1xf32>
    %12 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%expanded_13, %concat : tensor<96x1x1x1x1xf32>, tensor<96x4xi64>) outs(%arg3 : tensor<2x2x150x8xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      tm_tensor.yield %arg6 : f32
    } -> tensor<2x2x150x8xf32>
    %collapsed_14 = tensor.collapse_shape %arg2 [[0, 1, 2, 3]] : tensor<2x2x3x8xf32> into tensor<96xf32>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0, 1, 2, 3, 4]] output_shape [96, 1, 1, 1, 1] : tensor<96xf32> into tensor<96x1x1x1x1xf32>
    %13 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%expanded_15, %concat : tensor<96x1x1x1x1xf32>, tensor<96x4xi64>) outs(%arg4 : tensor<2x2x150x8xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      tm_tensor.yield %arg6 : f32
    } -> tensor<2x2x150x8xf32>
    %14 = tensor.empty() : tensor<150xi64>
    %15 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%14 : tensor<150xi64>) {
    ^bb0(%out: i64):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i64
      linalg.yield %50 : i64
    } -> tensor<150xi64>
    %expanded_16 = tensor.expand_shape %15 [[0, 1]] output_shape [1, 150] : tensor<150xi64> into tensor<1x150xi64>
    %expanded_17 = tensor.expand_shape %2 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %16 = tensor.empty() : tensor<3x150xi1>
    %17 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel"]} ins(%expanded_16, %expanded_17 : tensor<1x150xi64>, tensor<3x1xi64>) outs(%16 : tensor<3x150xi1>) {
    ^bb0(%in: i64, %in_25: i64, %out: i1):
      %49 = arith.cmpi sle, %in, %in_25 : i64
      linalg.yield %49 : i1
    } -> tensor<3x150xi1>
    %18 = tensor.empty() : tensor<3x150xf32>
    %19 = linalg.generic {indexing_maps = [#map9, #map10, #map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%17, %cst_2, %cst_3 : tensor<3x150xi1>, tensor<f32>, tensor<f32>) outs(%18 : tensor<3x150xf32>) {
    ^bb0(%in: i1, %in_25: f32, %in_26: f32, %out: f32):
      %49 = arith.select %in, %in_25, %in_26 : f32
      linalg.yield %49 : f32
    } -> tensor<3x150xf32>
    %20 = tensor.empty() : tensor<2x2x3x8xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x3x8xf32>) outs(%20 : tensor<2x2x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.truncf %cst_4 : f64 to f32
      %50 = arith.mulf %in, %49 : f32
      linalg.yield %50 : f32
    } -> tensor<2x2x3x8xf32>
    %22 = tensor.empty() : tensor<2x2x8x150xf32>
    %transposed = linalg.transpose ins(%12 : tensor<2x2x150x8xf32>) outs(%22 : tensor<2x2x8x150xf32>) permutation = [0, 1, 3, 2] 
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x8x150xf32>) outs(%22 : tensor<2x2x8x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.truncf %cst_4 : f64 to f32
      %50 = arith.mulf %in, %49 : f32
      linalg.yield %50 : f32
    } -> tensor<2x2x8x150xf32>
    %collapsed_18 = tensor.collapse_shape %21 [[0, 1], [2], [3]] : tensor<2x2x3x8xf32> into tensor<4x3x8xf32>
    %collapsed_19 = tensor.collapse_shape %23 [[0, 1], [2], [3]] : tensor<2x2x8x150xf32> into tensor<4x8x150xf32>
    %24 = tensor.empty() : tensor<4x3x150xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<4x3x150xf32>) -> tensor<4x3x150xf32>
    %26 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<4x3x8xf32>, tensor<4x8x150xf32>) outs(%25 : tensor<4x3x150xf32>) -> tensor<4x3x150xf32>
    %expanded_20 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [2, 2, 3, 150] : tensor<4x3x150xf32> into tensor<2x2x3x150xf32>
    %27 = tensor.empty() : tensor<2x2x3x150xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20, %19 : tensor<2x2x3x150xf32>, tensor<3x150xf32>) outs(%27 : tensor<2x2x3x150xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %49 = arith.addf %in, %in_25 : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x150xf32>
    %29 = tensor.empty() : tensor<2x2x3xi64>
    %30 = linalg.fill ins(%c0_i64 : i64) outs(%29 : tensor<2x2x3xi64>) -> tensor<2x2x3xi64>
    %31 = tensor.empty() : tensor<2x2x3xf32>
    %32 = linalg.fill ins(%cst_0 : f32) outs(%31 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
    %33:2 = linalg.generic {indexing_maps = [#map3, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<2x2x3x150xf32>) outs(%32, %30 : tensor<2x2x3xf32>, tensor<2x2x3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_25: i64):
      %49 = linalg.index 3 : index
      %50 = arith.index_cast %49 : index to i64
      %51 = arith.maximumf %in, %out : f32
      %52 = arith.cmpf ogt, %in, %out : f32
      %53 = arith.select %52, %50, %out_25 : i64
      linalg.yield %51, %53 : f32, i64
    } -> (tensor<2x2x3xf32>, tensor<2x2x3xi64>)
    %expanded_21 = tensor.expand_shape %33#0 [[0], [1], [2, 3]] output_shape [2, 2, 3, 1] : tensor<2x2x3xf32> into tensor<2x2x3x1xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map13, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %expanded_21 : tensor<2x2x3x150xf32>, tensor<2x2x3x1xf32>) outs(%27 : tensor<2x2x3x150xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %49 = arith.subf %in, %in_25 : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x150xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x2x3x150xf32>) outs(%27 : tensor<2x2x3x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.exp %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x150xf32>
    %36 = tensor.empty() : tensor<2x2x3x1xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<2x2x3x1xf32>) -> tensor<2x2x3x1xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%35 : tensor<2x2x3x150xf32>) outs(%37 : tensor<2x2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %in, %out : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x1xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map13, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %38 : tensor<2x2x3x150xf32>, tensor<2x2x3x1xf32>) outs(%27 : tensor<2x2x3x150xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %49 = arith.divf %in, %in_25 : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x150xf32>
    %40 = tensor.empty() : tensor<2x2x3x150xi1>
    %41 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x2x3x150xf32>) outs(%40 : tensor<2x2x3x150xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.extf %in : f32 to f64
      %50 = arith.cmpf oeq, %49, %cst_5 : f64
      linalg.yield %50 : i1
    } -> tensor<2x2x3x150xi1>
    %42 = tensor.empty() : tensor<2x2x3x1xi1>
    %43 = linalg.fill ins(%true : i1) outs(%42 : tensor<2x2x3x1xi1>) -> tensor<2x2x3x1xi1>
    %44 = linalg.generic {indexing_maps = [#map3, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%41 : tensor<2x2x3x150xi1>) outs(%43 : tensor<2x2x3x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %49 = arith.andi %in, %out : i1
      linalg.yield %49 : i1
    } -> tensor<2x2x3x1xi1>
    %45 = linalg.generic {indexing_maps = [#map13, #map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %cst_1, %39 : tensor<2x2x3x1xi1>, tensor<2x2x3x150xf32>, tensor<2x2x3x150xf32>) outs(%27 : tensor<2x2x3x150xf32>) {
    ^bb0(%in: i1, %in_25: f32, %in_26: f32, %out: f32):
      %49 = arith.select %in, %in_25, %in_26 : f32
      linalg.yield %49 : f32
    } -> tensor<2x2x3x150xf32>
    %collapsed_22 = tensor.collapse_shape %45 [[0, 1], [2], [3]] : tensor<2x2x3x150xf32> into tensor<4x3x150xf32>
    %collapsed_23 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<2x2x150x8xf32> into tensor<4x150x8xf32>
    %46 = tensor.empty() : tensor<4x3x8xf32>
    %47 = linalg.fill ins(%cst : f32) outs(%46 : tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    %48 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<4x3x150xf32>, tensor<4x150x8xf32>) outs(%47 : tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    %expanded_24 = tensor.expand_shape %48 [[0, 1], [2], [3]] output_shape [2, 2, 3, 8] : tensor<4x3x8xf32> into tensor<2x2x3x8xf32>
    return %expanded_24 : tensor<2x2x3x8xf32>
  }
}
