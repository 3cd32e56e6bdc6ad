// {"shapes": [[2, 40, 16], [2, 1, 1, 40], [16, 16], [16], [16, 16], [16], [16, 16], [16], [16, 16], [16], [32, 16], [32], [16, 32], [16], [16], [16], [16], [16]], "spreads": [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.17677669529663687, 0.5, 0.5, 0.5, 0.5, 0.5], "error": 5.76e-07}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2) -> (d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @bert_layer(%arg0: tensor<2x40x16xf32>, %arg1: tensor<2x1x1x40xi1>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16x16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<32x16xf32>, %arg11: tensor<32xf32>, %arg12: tensor<16x32xf32>, %arg13: tensor<16xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>) -> tensor<2x40x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<2x2x40x40xf32>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_6 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_7 = arith.constant 1.000000e-05 : f64
    %cst_8 = arith.constant 0.59460355750136051 : f64
    %cst_9 = arith.constant 0xFFF0000000000000 : f64
    %cst_10 = arith.constant 1.600000e+01 : f64
    %cst_11 = arith.constant 1.600000e+01 : f32
    %cst_12 = arith.constant 1.41421354 : f32
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
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<80x16xf32>
    %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 40, 2, 8] : tensor<80x16xf32> into tensor<2x40x2x8xf32>
    %6 = tensor.empty() : tensor<2x2x40x8xf32>
    %transposed_13 = linalg.transpose ins(%expanded : tensor<2x40x2x8xf32>) outs(%6 : tensor<2x2x40x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_14 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %7 = linalg.matmul ins(%collapsed, %transposed_14 : tensor<80x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<80x16xf32>) -> tensor<80x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<80x16xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<80x16xf32>, tensor<80x16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<80x16xf32>
    %expanded_15 = tensor.expand_shape %9 [[0, 1], [2, 3]] output_shape [2, 40, 2, 8] : tensor<80x16xf32> into tensor<2x40x2x8xf32>
    %transposed_16 = linalg.transpose ins(%arg6 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %10 = linalg.matmul ins(%collapsed, %transposed_16 : tensor<80x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<80x16xf32>) -> tensor<80x16xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<80x16xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<80x16xf32>, tensor<80x16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<80x16xf32>
    %expanded_17 = tensor.expand_shape %12 [[0, 1], [2, 3]] output_shape [2, 40, 2, 8] : tensor<80x16xf32> into tensor<2x40x2x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<2x40x2x8xf32>) outs(%6 : tensor<2x2x40x8xf32>) permutation = [0, 2, 1, 3] 
    %13 = tensor.empty() : tensor<2x1x1x40xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map3, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %cst_5, %cst_6 : tensor<2x1x1x40xi1>, tensor<f32>, tensor<f32>) outs(%13 : tensor<2x1x1x40xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %101 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %101 : f32
    } -> tensor<2x1x1x40xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_13 : tensor<2x2x40x8xf32>) outs(%6 : tensor<2x2x40x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.truncf %cst_8 : f64 to f32
      %102 = arith.mulf %in, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x2x40x8xf32>
    %16 = tensor.empty() : tensor<2x2x8x40xf32>
    %transposed_19 = linalg.transpose ins(%expanded_15 : tensor<2x40x2x8xf32>) outs(%16 : tensor<2x2x8x40xf32>) permutation = [0, 2, 3, 1] 
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_19 : tensor<2x2x8x40xf32>) outs(%16 : tensor<2x2x8x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.truncf %cst_8 : f64 to f32
      %102 = arith.mulf %in, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x2x8x40xf32>
    %collapsed_20 = tensor.collapse_shape %15 [[0, 1], [2], [3]] : tensor<2x2x40x8xf32> into tensor<4x40x8xf32>
    %collapsed_21 = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<2x2x8x40xf32> into tensor<4x8x40xf32>
    %18 = tensor.empty() : tensor<4x40x40xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %20 = linalg.batch_matmul ins(%collapsed_20, %collapsed_21 : tensor<4x40x8xf32>, tensor<4x8x40xf32>) outs(%19 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %expanded_22 = tensor.expand_shape %20 [[0, 1], [2], [3]] output_shape [2, 2, 40, 40] : tensor<4x40x40xf32> into tensor<2x2x40x40xf32>
    %21 = tensor.empty() : tensor<2x2x40x40xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %14 : tensor<2x2x40x40xf32>, tensor<2x1x1x40xf32>) outs(%21 : tensor<2x2x40x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x40xf32>
    %23 = tensor.empty() : tensor<2x2x40xi64>
    %24 = linalg.fill ins(%c0_i64 : i64) outs(%23 : tensor<2x2x40xi64>) -> tensor<2x2x40xi64>
    %25 = tensor.empty() : tensor<2x2x40xf32>
    %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<2x2x40xf32>) -> tensor<2x2x40xf32>
    %27:2 = linalg.generic {indexing_maps = [#map2, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x2x40x40xf32>) outs(%26, %24 : tensor<2x2x40xf32>, tensor<2x2x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_36: i64):
      %101 = linalg.index 3 : index
      %102 = arith.index_cast %101 : index to i64
      %103 = arith.maximumf %in, %out : f32
      %104 = arith.cmpf ogt, %in, %out : f32
      %105 = arith.select %104, %102, %out_36 : i64
      linalg.yield %103, %105 : f32, i64
    } -> (tensor<2x2x40xf32>, tensor<2x2x40xi64>)
    %expanded_23 = tensor.expand_shape %27#0 [[0], [1], [2, 3]] output_shape [2, 2, 40, 1] : tensor<2x2x40xf32> into tensor<2x2x40x1xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map6, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_23 : tensor<2x2x40x40xf32>, tensor<2x2x40x1xf32>) outs(%21 : tensor<2x2x40x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.subf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x40xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x2x40x40xf32>) outs(%21 : tensor<2x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = math.exp %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x40xf32>
    %30 = tensor.empty() : tensor<2x2x40x1xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x2x40x1xf32>) -> tensor<2x2x40x1xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x2x40x40xf32>) outs(%31 : tensor<2x2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %in, %out : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x1xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map6, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %32 : tensor<2x2x40x40xf32>, tensor<2x2x40x1xf32>) outs(%21 : tensor<2x2x40x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.divf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x40xf32>
    %34 = tensor.empty() : tensor<2x2x40x40xi1>
    %35 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x2x40x40xf32>) outs(%34 : tensor<2x2x40x40xi1>) {
    ^bb0(%in: f32, %out: i1):
      %101 = arith.extf %in : f32 to f64
      %102 = arith.cmpf oeq, %101, %cst_9 : f64
      linalg.yield %102 : i1
    } -> tensor<2x2x40x40xi1>
    %36 = tensor.empty() : tensor<2x2x40x1xi1>
    %37 = linalg.fill ins(%true : i1) outs(%36 : tensor<2x2x40x1xi1>) -> tensor<2x2x40x1xi1>
    %38 = linalg.generic {indexing_maps = [#map2, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%35 : tensor<2x2x40x40xi1>) outs(%37 : tensor<2x2x40x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %101 = arith.andi %in, %out : i1
      linalg.yield %101 : i1
    } -> tensor<2x2x40x1xi1>
    %39 = linalg.generic {indexing_maps = [#map6, #map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %cst_4, %33 : tensor<2x2x40x1xi1>, tensor<2x2x40x40xf32>, tensor<2x2x40x40xf32>) outs(%21 : tensor<2x2x40x40xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %101 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %101 : f32
    } -> tensor<2x2x40x40xf32>
    %collapsed_24 = tensor.collapse_shape %39 [[0, 1], [2], [3]] : tensor<2x2x40x40xf32> into tensor<4x40x40xf32>
    %collapsed_25 = tensor.collapse_shape %transposed_18 [[0, 1], [2], [3]] : tensor<2x2x40x8xf32> into tensor<4x40x8xf32>
    %40 = tensor.empty() : tensor<4x40x8xf32>
    %41 = linalg.fill ins(%cst : f32) outs(%40 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %42 = linalg.batch_matmul ins(%collapsed_24, %collapsed_25 : tensor<4x40x40xf32>, tensor<4x40x8xf32>) outs(%41 : tensor<4x40x8xf32>) -> tensor<4x40x8xf32>
    %expanded_26 = tensor.expand_shape %42 [[0, 1], [2], [3]] output_shape [2, 2, 40, 8] : tensor<4x40x8xf32> into tensor<2x2x40x8xf32>
    %43 = tensor.empty() : tensor<2x40x2x8xf32>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<2x2x40x8xf32>) outs(%43 : tensor<2x40x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_28 = tensor.collapse_shape %transposed_27 [[0], [1], [2, 3]] : tensor<2x40x2x8xf32> into tensor<2x40x16xf32>
    %transposed_29 = linalg.transpose ins(%arg8 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %44 = tensor.empty() : tensor<2x16x16xf32>
    %45 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_29 : tensor<16x16xf32>) outs(%44 : tensor<2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x16xf32>
    %46 = tensor.empty() : tensor<2x40x16xf32>
    %47 = linalg.fill ins(%cst : f32) outs(%46 : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
    %48 = linalg.batch_matmul ins(%collapsed_28, %45 : tensor<2x40x16xf32>, tensor<2x16x16xf32>) outs(%47 : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
    %49 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %arg9 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %50 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %49 : tensor<2x40x16xf32>, tensor<2x40x16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %51 = tensor.empty() : tensor<2x40x16xf64>
    %52 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50 : tensor<2x40x16xf32>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %101 = arith.extf %in : f32 to f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %53 = tensor.empty() : tensor<2x40x1xf64>
    %54 = linalg.fill ins(%cst_1 : f64) outs(%53 : tensor<2x40x1xf64>) -> tensor<2x40x1xf64>
    %55 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%52 : tensor<2x40x16xf64>) outs(%54 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.addf %in, %out : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %56 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<2x40x1xf64>) outs(%53 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.divf %in, %cst_10 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %57 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %56 : tensor<2x40x16xf64>, tensor<2x40x1xf64>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %101 = arith.subf %in, %in_36 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %58 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %57 : tensor<2x40x16xf64>, tensor<2x40x16xf64>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %101 = arith.mulf %in, %in_36 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %59 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%58 : tensor<2x40x16xf64>) outs(%54 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.addf %in, %out : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %60 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<2x40x1xf64>) outs(%53 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.divf %in, %cst_10 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %61 = tensor.empty() : tensor<2x40x1xf32>
    %62 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x40x1xf64>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %101 = arith.truncf %in : f64 to f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %63 = linalg.fill ins(%cst : f32) outs(%61 : tensor<2x40x1xf32>) -> tensor<2x40x1xf32>
    %64 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%50 : tensor<2x40x16xf32>) outs(%63 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %in, %out : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %65 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.divf %in, %cst_11 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %66 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.truncf %cst_7 : f64 to f32
      %102 = arith.addf %in, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x40x1xf32>
    %67 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = math.rsqrt %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %68 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %65 : tensor<2x40x16xf32>, tensor<2x40x1xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.subf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %69 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %67 : tensor<2x40x16xf32>, tensor<2x40x1xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.mulf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %70 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %arg14 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.mulf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %71 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %arg15 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %collapsed_30 = tensor.collapse_shape %71 [[0, 1], [2]] : tensor<2x40x16xf32> into tensor<80x16xf32>
    %72 = tensor.empty() : tensor<16x32xf32>
    %transposed_31 = linalg.transpose ins(%arg10 : tensor<32x16xf32>) outs(%72 : tensor<16x32xf32>) permutation = [1, 0] 
    %73 = tensor.empty() : tensor<80x32xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<80x32xf32>) -> tensor<80x32xf32>
    %75 = linalg.matmul ins(%collapsed_30, %transposed_31 : tensor<80x16xf32>, tensor<16x32xf32>) outs(%74 : tensor<80x32xf32>) -> tensor<80x32xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<32xf32>) outs(%73 : tensor<80x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<80x32xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%75, %76 : tensor<80x32xf32>, tensor<80x32xf32>) outs(%73 : tensor<80x32xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<80x32xf32>
    %expanded_32 = tensor.expand_shape %77 [[0, 1], [2]] output_shape [2, 40, 32] : tensor<80x32xf32> into tensor<2x40x32xf32>
    %78 = tensor.empty() : tensor<2x40x32xf32>
    %79 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x40x32xf32>) outs(%78 : tensor<2x40x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.divf %in, %cst_12 : f32
      %102 = math.erf %101 : f32
      %103 = arith.addf %102, %cst_2 : f32
      %104 = arith.mulf %103, %cst_3 : f32
      %105 = arith.mulf %in, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<2x40x32xf32>
    %collapsed_33 = tensor.collapse_shape %79 [[0, 1], [2]] : tensor<2x40x32xf32> into tensor<80x32xf32>
    %80 = tensor.empty() : tensor<32x16xf32>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<16x32xf32>) outs(%80 : tensor<32x16xf32>) permutation = [1, 0] 
    %81 = linalg.matmul ins(%collapsed_33, %transposed_34 : tensor<80x32xf32>, tensor<32x16xf32>) outs(%2 : tensor<80x16xf32>) -> tensor<80x16xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<80x16xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%81, %82 : tensor<80x16xf32>, tensor<80x16xf32>) outs(%1 : tensor<80x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<80x16xf32>
    %expanded_35 = tensor.expand_shape %83 [[0, 1], [2]] output_shape [2, 40, 16] : tensor<80x16xf32> into tensor<2x40x16xf32>
    %84 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %expanded_35 : tensor<2x40x16xf32>, tensor<2x40x16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %85 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<2x40x16xf32>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %101 = arith.extf %in : f32 to f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %86 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%85 : tensor<2x40x16xf64>) outs(%54 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.addf %in, %out : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %87 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<2x40x1xf64>) outs(%53 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.divf %in, %cst_10 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %88 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %87 : tensor<2x40x16xf64>, tensor<2x40x1xf64>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %101 = arith.subf %in, %in_36 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %89 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %88 : tensor<2x40x16xf64>, tensor<2x40x16xf64>) outs(%51 : tensor<2x40x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %101 = arith.mulf %in, %in_36 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x16xf64>
    %90 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%89 : tensor<2x40x16xf64>) outs(%54 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.addf %in, %out : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %91 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x40x1xf64>) outs(%53 : tensor<2x40x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %101 = arith.divf %in, %cst_10 : f64
      linalg.yield %101 : f64
    } -> tensor<2x40x1xf64>
    %92 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x40x1xf64>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %101 = arith.truncf %in : f64 to f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %93 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%84 : tensor<2x40x16xf32>) outs(%63 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %in, %out : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %94 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.divf %in, %cst_11 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %95 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.truncf %cst_7 : f64 to f32
      %102 = arith.addf %in, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x40x1xf32>
    %96 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<2x40x1xf32>) outs(%61 : tensor<2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = math.rsqrt %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x1xf32>
    %97 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %94 : tensor<2x40x16xf32>, tensor<2x40x1xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.subf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %98 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %96 : tensor<2x40x16xf32>, tensor<2x40x1xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.mulf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %99 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %arg16 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.mulf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    %100 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %arg17 : tensor<2x40x16xf32>, tensor<16xf32>) outs(%46 : tensor<2x40x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %101 = arith.addf %in, %in_36 : f32
      linalg.yield %101 : f32
    } -> tensor<2x40x16xf32>
    return %100 : tensor<2x40x16xf32>
  }
}
