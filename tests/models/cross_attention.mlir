// {"shapes": [[2, 40, 16], [2, 150, 24], [16, 16], [16], [16, 24], [16], [16, 24], [16], [16, 16], [16]], "spreads": [1.0, 1.0, 0.5, 0.5, 0.4082482904638631, 0.5, 0.20412414523193154, 0.5, 0.25, 0.5], "error": 1.7e-06}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @cross_attention(%arg0: tensor<2x40x16xf32>, %arg1: tensor<2x150x24xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16x16xf32>, %arg9: tensor<16xf32>) -> tensor<2x40x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x40x150xf32>
    %cst_2 = arith.constant 0xFFF0000000000000 : f64
    %cst_3 = arith.constant 0.59460355750136051 : f64
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x40x16xf32> into tensor<80x16xf32>
    %0 = tensor.empty() : tensor<16x16xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<80x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<80x16xf32>) -> tensor<80x16xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<80x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<80x16xf32>) -> tensor<80x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<80x16xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<80x16xf32>, tensor<80x16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<80x16xf32>
    %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 40, 2, 8] : tensor<80x16xf32> into tensor<2x40x2x8xf32>
    %6 = tensor.empty() : tensor<2x2x40x8xf32>
    %transposed_4 = linalg.transpose ins(%expanded : tensor<2x40x2x8xf32>) outs(%6 : tensor<2x2x40x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_5 = tensor.collapse_shape %arg1 [[0, 1], [2]] : tensor<2x150x24xf32> into tensor<300x24xf32>
    %7 = tensor.empty() : tensor<24x16xf32>
    %transposed_6 = linalg.transpose ins(%arg4 : tensor<16x24xf32>) outs(%7 : tensor<24x16xf32>) permutation = [1, 0] 
    %8 = tensor.empty() : tensor<300x16xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<300x16xf32>) -> tensor<300x16xf32>
    %10 = linalg.matmul ins(%collapsed_5, %transposed_6 : tensor<300x24xf32>, tensor<24x16xf32>) outs(%9 : tensor<300x16xf32>) -> tensor<300x16xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<16xf32>) outs(%8 : tensor<300x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<300x16xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<300x16xf32>, tensor<300x16xf32>) outs(%8 : tensor<300x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<300x16xf32>
    %expanded_7 = tensor.expand_shape %12 [[0, 1], [2, 3]] output_shape [2, 150, 2, 8] : tensor<300x16xf32> into tensor<2x150x2x8xf32>
    %transposed_8 = linalg.transpose ins(%arg6 : tensor<16x24xf32>) outs(%7 : tensor<24x16xf32>) permutation = [1, 0] 
    %13 = linalg.matmul ins(%collapsed_5, %transposed_8 : tensor<300x24xf32>, tensor<24x16xf32>) outs(%9 : tensor<300x16xf32>) -> tensor<300x16xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<16xf32>) outs(%8 : tensor<300x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<300x16xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %14 : tensor<300x16xf32>, tensor<300x16xf32>) outs(%8 : tensor<300x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<300x16xf32>
    %expanded_9 = tensor.expand_shape %15 [[0, 1], [2, 3]] output_shape [2, 150, 2, 8] : tensor<300x16xf32> into tensor<2x150x2x8xf32>
    %16 = tensor.empty() : tensor<2x2x150x8xf32>
    %transposed_10 = linalg.transpose ins(%expanded_9 : tensor<2x150x2x8xf32>) outs(%16 : tensor<2x2x150x8xf32>) permutation = [0, 2, 1, 3] 
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_4 : tensor<2x2x40x8xf32>) outs(%6 : tensor<2x2x40x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.truncf %cst_3 : f64 to f32
      %52 = arith.mulf %in, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<2x2x40x8xf32>
    %18 = tensor.empty() : tensor<2x2x8x150xf32>
    %transposed_11 = linalg.transpose ins(%expanded_7 : tensor<2x150x2x8xf32>) outs(%18 : tensor<2x2x8x150xf32>) permutation = [0, 2, 3, 1] 
    %19 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_11 : tensor<2x2x8x150xf32>) outs(%18 : tensor<2x2x8x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.truncf %cst_3 : f64 to f32
      %52 = arith.mulf %in, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<2x2x8x150xf32>
    %collapsed_12 = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<2x2x40x8xf32> into tensor<4x40x8xf32>
    %collapsed_13 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<2x2x8x150xf32> into tensor<4x8x150xf32>
    %20 = tensor.empty() : tensor<4x40x150xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<4x40x150xf32>) -> tensor<4x40x150xf32>
    %22 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<4x40x8xf32>, tensor<4x8x150xf32>) outs(%21 : tensor<4x40x150xf32>) -> tensor<4x40x150xf32>
    %expanded_14 = tensor.expand_shape %22 [[0, 1], [2], [3]] output_shape [2, 2, 40, 150] : tensor<4x40x150xf32> into tensor<2x2x40x150xf32>
    %23 = tensor.empty() : tensor<2x2x40xi64>
    %24 = linalg.fill ins(%c0_i64 : i64) outs(%23 : tensor<2x2x40xi64>) -> tensor<2x2x40xi64>
    %25 = tensor.empty() : tensor<2x2x40xf32>
    %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<2x2x40xf32>) -> tensor<2x2x40xf32>
    %27:2 = linalg.generic {indexing_maps = [#map2, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_14 : tensor<2x2x40x150xf32>) outs(%26, %24 : tensor<2x2x40xf32>, tensor<2x2x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_22: i64):
      %51 = linalg.index 3 : index
      %52 = arith.index_cast %51 : index to i64
      %53 = arith.maximumf %in, %out : f32
      %54 = arith.cmpf ogt, %in, %out : f32
      %55 = arith.select %54, %52, %out_22 : i64
      linalg.yield %53, %55 : f32, i64
    } -> (tensor<2x2x40xf32>, tensor<2x2x40xi64>)
    %expanded_15 = tensor.expand_shape %27#0 [[0], [1], [2, 3]] output_shape [2, 2, 40, 1] : tensor<2x2x40xf32> into tensor<2x2x40x1xf32>
    %28 = tensor.empty() : tensor<2x2x40x150xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %expanded_15 : tensor<2x2x40x150xf32>, tensor<2x2x40x1xf32>) outs(%28 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.subf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<2x2x40x150xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x2x40x150xf32>) outs(%28 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.exp %in : f32
      linalg.yield %51 : f32
    } -> tensor<2x2x40x150xf32>
    %31 = tensor.empty() : tensor<2x2x40x1xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<2x2x40x1xf32>) -> tensor<2x2x40x1xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x2x40x150xf32>) outs(%32 : tensor<2x2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %in, %out : f32
      linalg.yield %51 : f32
    } -> tensor<2x2x40x1xf32>
    %34 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %33 : tensor<2x2x40x150xf32>, tensor<2x2x40x1xf32>) outs(%28 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.divf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<2x2x40x150xf32>
    %35 = tensor.empty() : tensor<2x2x40x150xi1>
    %36 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x2x40x150xf32>) outs(%35 : tensor<2x2x40x150xi1>) {
    ^bb0(%in: f32, %out: i1):
      %51 = arith.extf %in : f32 to f64
      %52 = arith.cmpf oeq, %51, %cst_2 : f64
      linalg.yield %52 : i1
    } -> tensor<2x2x40x150xi1>
    %37 = tensor.empty() : tensor<2x2x40x1xi1>
    %38 = linalg.fill ins(%true : i1) outs(%37 : tensor<2x2x40x1xi1>) -> tensor<2x2x40x1xi1>
    %39 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<2x2x40x150xi1>) outs(%38 : tensor<2x2x40x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %51 = arith.andi %in, %out : i1
      linalg.yield %51 : i1
    } -> tensor<2x2x40x1xi1>
    %40 = linalg.generic {indexing_maps = [#map4, #map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %cst_1, %34 : tensor<2x2x40x1xi1>, tensor<2x2x40x150xf32>, tensor<2x2x40x150xf32>) outs(%28 : tensor<2x2x40x150xf32>) {
    ^bb0(%in: i1, %in_22: f32, %in_23: f32, %out: f32):
      %51 = arith.select %in, %in_22, %in_23 : f32
      linalg.yield %51 : f32
    } -> tensor<2x2x40x150xf32>
    %collapsed_16 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<2x2x40x150xf32> into tensor<4x40x150xf32>
    %collapsed_17 = tensor.collapse_shape %transposed_10 [[0, 1], [2], [3]] : tensor<2x2x150x8xf32> into tensor<4x150x8xf32>
    %41 = tensor.empty() : tensor<4x40x8xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %43 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<4x40x150xf32>, tensor<4x150x8xf32>) outs(%42 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %expanded_18 = tensor.expand_shape %43 [[0, 1], [2], [3]] output_shape [2, 2, 40, 8] : tensor<4x40x8xf32> into tensor<2x2x40x8xf32>
    %44 = tensor.empty() : tensor<2x40x2x8xf32>
    %transposed_19 = linalg.transpose ins(%expanded_18 : tensor<2x2x40x8xf32>) outs(%44 : tensor<2x40x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_20 = tensor.collapse_shape %transposed_19 [[0], [1], [2, 3]] : tensor<2x40x2x8xf32> into tensor<2x40x16xf32>
    %transposed_21 = linalg.transpose ins(%arg8 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %45 = tensor.empty() : tensor<2x16x16xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_21 : tensor<16x16xf32>) outs(%45 : tensor<2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x16xf32>
    %47 = tensor.empty() : tensor<2x40x16xf32>
    %48 = linalg.fill ins(%cst : f32) outs(%47 : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
    %49 = linalg.batch_matmul ins(%collapsed_20, %46 : tensor<2x40x16xf32>, tensor<2x16x16xf32>) outs(%48 : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
    %50 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %arg9 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%47 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<2x40x16xf32>
    return %50 : tensor<2x40x16xf32>
  }
}
