// {"shapes": [[2, 2, 90, 8], [2, 2, 90, 8], [2, 2, 90, 8], [2, 90]], "spreads": [2.0, 2.0, 1.0, 1.0], "error": 9.24e-07}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1) -> (0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @padded_positions(%arg0: tensor<2x2x90x8xf32>, %arg1: tensor<2x2x90x8xf32>, %arg2: tensor<2x2x90x8xf32>, %arg3: tensor<2x90xi1>) -> tensor<2x2x90x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %true = arith.constant true
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<-3.40282347E+38> : tensor<f32>
    %cst_2 = arith.constant 2.8284271247461903 : f64
    %cst_3 = arith.constant 1.250000e-01 : f32
    %0 = tensor.empty() : tensor<2x90xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<2x90xi1>) outs(%0 : tensor<2x90xi64>) {
    ^bb0(%in: i1, %out: i64):
      %40 = arith.extui %in : i1 to i64
      linalg.yield %40 : i64
    } -> tensor<2x90xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<2x90xi64>) -> tensor<2x90xi64>
    %3 = tensor.empty() : tensor<2xi64>
    %4 = linalg.fill ins(%c0_i64 : i64) outs(%3 : tensor<2xi64>) -> tensor<2xi64>
    %5:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%1 : tensor<2x90xi64>) outs(%2, %4 : tensor<2x90xi64>, tensor<2xi64>) {
    ^bb0(%arg4: i64, %arg5: i64):
      %40 = arith.addi %arg4, %arg5 : i64
      tm_tensor.yield %40 : i64
    } -> tensor<2x90xi64>, tensor<2xi64>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5#0 : tensor<2x90xi64>) outs(%0 : tensor<2x90xi64>) {
    ^bb0(%in: i64, %out: i64):
      %40 = arith.subi %in, %c1_i64 : i64
      linalg.yield %40 : i64
    } -> tensor<2x90xi64>
    %expanded = tensor.expand_shape %6 [[0], [1, 2, 3]] output_shape [2, 1, 1, 90] : tensor<2x90xi64> into tensor<2x1x1x90xi64>
    %expanded_4 = tensor.expand_shape %6 [[0], [1, 2, 3]] output_shape [2, 1, 90, 1] : tensor<2x90xi64> into tensor<2x1x90x1xi64>
    %7 = tensor.empty() : tensor<2x1x90x90xi64>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_4 : tensor<2x1x1x90xi64>, tensor<2x1x90x1xi64>) outs(%7 : tensor<2x1x90x90xi64>) {
    ^bb0(%in: i64, %in_14: i64, %out: i64):
      %40 = arith.subi %in, %in_14 : i64
      linalg.yield %40 : i64
    } -> tensor<2x1x90x90xi64>
    %9 = tensor.empty() : tensor<90xi64>
    %10 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%9 : tensor<90xi64>) {
    ^bb0(%out: i64):
      %40 = linalg.index 0 : index
      %41 = arith.index_cast %40 : index to i64
      linalg.yield %41 : i64
    } -> tensor<90xi64>
    %expanded_5 = tensor.expand_shape %10 [[0, 1]] output_shape [90, 1] : tensor<90xi64> into tensor<90x1xi64>
    %expanded_6 = tensor.expand_shape %10 [[0, 1]] output_shape [1, 90] : tensor<90xi64> into tensor<1x90xi64>
    %11 = tensor.empty() : tensor<90x90xi1>
    %12 = linalg.generic {indexing_maps = [#map5, #map6, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_5, %expanded_6 : tensor<90x1xi64>, tensor<1x90xi64>) outs(%11 : tensor<90x90xi1>) {
    ^bb0(%in: i64, %in_14: i64, %out: i1):
      %40 = arith.cmpi sge, %in, %in_14 : i64
      linalg.yield %40 : i1
    } -> tensor<90x90xi1>
    %expanded_7 = tensor.expand_shape %arg3 [[0], [1, 2, 3]] output_shape [2, 1, 1, 90] : tensor<2x90xi1> into tensor<2x1x1x90xi1>
    %13 = tensor.empty() : tensor<2x1x90x90xi1>
    %14 = linalg.generic {indexing_maps = [#map7, #map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %expanded_7 : tensor<90x90xi1>, tensor<2x1x1x90xi1>) outs(%13 : tensor<2x1x90x90xi1>) {
    ^bb0(%in: i1, %in_14: i1, %out: i1):
      %40 = arith.andi %in, %in_14 : i1
      linalg.yield %40 : i1
    } -> tensor<2x1x90x90xi1>
    %15 = tensor.empty() : tensor<2x2x8x90xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x2x90x8xf32>) outs(%15 : tensor<2x2x8x90xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x2x90x8xf32> into tensor<4x90x8xf32>
    %collapsed_8 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x2x8x90xf32> into tensor<4x8x90xf32>
    %16 = tensor.empty() : tensor<4x90x90xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<4x90x90xf32>) -> tensor<4x90x90xf32>
    %18 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<4x90x8xf32>, tensor<4x8x90xf32>) outs(%17 : tensor<4x90x90xf32>) -> tensor<4x90x90xf32>
    %expanded_9 = tensor.expand_shape %18 [[0, 1], [2], [3]] output_shape [2, 2, 90, 90] : tensor<4x90x90xf32> into tensor<2x2x90x90xf32>
    %19 = tensor.empty() : tensor<2x2x90x90xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<2x2x90x90xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.truncf %cst_2 : f64 to f32
      %41 = arith.divf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<2x2x90x90xf32>
    %21 = tensor.empty() : tensor<2x1x90x90xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x1x90x90xi64>) outs(%21 : tensor<2x1x90x90xf32>) {
    ^bb0(%in: i64, %out: f32):
      %40 = arith.sitofp %in : i64 to f32
      %41 = arith.mulf %40, %cst_3 : f32
      linalg.yield %41 : f32
    } -> tensor<2x1x90x90xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %22 : tensor<2x2x90x90xf32>, tensor<2x1x90x90xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %40 = arith.addf %in, %in_14 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x90xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x1x90x90xi1>) outs(%13 : tensor<2x1x90x90xi1>) {
    ^bb0(%in: i1, %out: i1):
      %40 = arith.xori %in, %true : i1
      linalg.yield %40 : i1
    } -> tensor<2x1x90x90xi1>
    %25 = linalg.generic {indexing_maps = [#map8, #map9, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %cst_1, %23 : tensor<2x1x90x90xi1>, tensor<f32>, tensor<2x2x90x90xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %40 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x90xf32>
    %26 = tensor.empty() : tensor<2x2x90xi64>
    %27 = linalg.fill ins(%c0_i64 : i64) outs(%26 : tensor<2x2x90xi64>) -> tensor<2x2x90xi64>
    %28 = tensor.empty() : tensor<2x2x90xf32>
    %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<2x2x90xf32>) -> tensor<2x2x90xf32>
    %30:2 = linalg.generic {indexing_maps = [#map3, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x2x90x90xf32>) outs(%29, %27 : tensor<2x2x90xf32>, tensor<2x2x90xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %40 = linalg.index 3 : index
      %41 = arith.index_cast %40 : index to i64
      %42 = arith.maximumf %in, %out : f32
      %43 = arith.cmpf ogt, %in, %out : f32
      %44 = arith.select %43, %41, %out_14 : i64
      linalg.yield %42, %44 : f32, i64
    } -> (tensor<2x2x90xf32>, tensor<2x2x90xi64>)
    %expanded_10 = tensor.expand_shape %30#0 [[0], [1], [2, 3]] output_shape [2, 2, 90, 1] : tensor<2x2x90xf32> into tensor<2x2x90x1xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %expanded_10 : tensor<2x2x90x90xf32>, tensor<2x2x90x1xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %40 = arith.subf %in, %in_14 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x90xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x2x90x90xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = math.exp %in : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x90xf32>
    %33 = tensor.empty() : tensor<2x2x90x1xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<2x2x90x1xf32>) -> tensor<2x2x90x1xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<2x2x90x90xf32>) outs(%34 : tensor<2x2x90x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.addf %in, %out : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x1xf32>
    %36 = linalg.generic {indexing_maps = [#map3, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %35 : tensor<2x2x90x90xf32>, tensor<2x2x90x1xf32>) outs(%19 : tensor<2x2x90x90xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %40 = arith.divf %in, %in_14 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x90x90xf32>
    %collapsed_11 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<2x2x90x90xf32> into tensor<4x90x90xf32>
    %collapsed_12 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x90x8xf32> into tensor<4x90x8xf32>
    %37 = tensor.empty() : tensor<4x90x8xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<4x90x8xf32>) -> tensor<4x90x8xf32>
    %39 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<4x90x90xf32>, tensor<4x90x8xf32>) outs(%38 : tensor<4x90x8xf32>) -> tensor<4x90x8xf32>
    %expanded_13 = tensor.expand_shape %39 [[0, 1], [2], [3]] output_shape [2, 2, 90, 8] : tensor<4x90x8xf32> into tensor<2x2x90x8xf32>
    return %expanded_13 : tensor<2x2x90x8xf32>
  }
}
