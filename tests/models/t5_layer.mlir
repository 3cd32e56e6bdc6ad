// {"shapes": [[1, 40, 16], [16, 16], [16, 16], [16, 16], [16, 16], [32, 2]], "spreads": [1.0, 0.5, 0.5, 0.25, 0.25, 0.7071067811865475], "error": 2.05e-06}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @t5_layer(%arg0: tensor<1x40x16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<32x2xf32>) -> tensor<1x40x16xf32> {
    %c15_i64 = arith.constant 15 : i64
    %c8_i64 = arith.constant 8 : i64
    %c16_i64 = arith.constant 16 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.7725887222397811 : f64
    %cst_2 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x16xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<1x40x16xf32> into tensor<40x16xf32>
    %1 = tensor.empty() : tensor<40x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<40x16xf32>) -> tensor<40x16xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<40x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<40x16xf32>) -> tensor<40x16xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2, 3]] output_shape [1, 40, 2, 8] : tensor<40x16xf32> into tensor<1x40x2x8xf32>
    %4 = tensor.empty() : tensor<1x2x40x8xf32>
    %transposed_3 = linalg.transpose ins(%expanded : tensor<1x40x2x8xf32>) outs(%4 : tensor<1x2x40x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_4 = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %5 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<40x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<40x16xf32>) -> tensor<40x16xf32>
    %expanded_5 = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [1, 40, 2, 8] : tensor<40x16xf32> into tensor<1x40x2x8xf32>
    %transposed_6 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %6 = linalg.matmul ins(%collapsed, %transposed_6 : tensor<40x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<40x16xf32>) -> tensor<40x16xf32>
    %expanded_7 = tensor.expand_shape %6 [[0, 1], [2, 3]] output_shape [1, 40, 2, 8] : tensor<40x16xf32> into tensor<1x40x2x8xf32>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<1x40x2x8xf32>) outs(%4 : tensor<1x2x40x8xf32>) permutation = [0, 2, 1, 3] 
    %7 = tensor.empty() : tensor<40xi64>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%7 : tensor<40xi64>) {
    ^bb0(%out: i64):
      %54 = linalg.index 0 : index
      %55 = arith.index_cast %54 : index to i64
      linalg.yield %55 : i64
    } -> tensor<40xi64>
    %expanded_9 = tensor.expand_shape %8 [[0, 1]] output_shape [1, 40] : tensor<40xi64> into tensor<1x40xi64>
    %expanded_10 = tensor.expand_shape %8 [[0, 1]] output_shape [40, 1] : tensor<40xi64> into tensor<40x1xi64>
    %9 = tensor.empty() : tensor<40x40xi64>
    %10 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_9, %expanded_10 : tensor<1x40xi64>, tensor<40x1xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %in_24: i64, %out: i64):
      %54 = arith.subi %in, %in_24 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %11 = tensor.empty() : tensor<40x40xi1>
    %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<40x40xi64>) outs(%11 : tensor<40x40xi1>) {
    ^bb0(%in: i64, %out: i1):
      %54 = arith.cmpi sgt, %in, %c0_i64 : i64
      linalg.yield %54 : i1
    } -> tensor<40x40xi1>
    %13 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<40x40xi1>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i1, %out: i64):
      %54 = arith.extui %in : i1 to i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %14 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %out: i64):
      %54 = arith.muli %in, %c16_i64 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %out: i64):
      %54 = math.absi %in : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %16 = tensor.empty() : tensor<40x40xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<40x40xi64>) outs(%16 : tensor<40x40xf32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = arith.sitofp %in : i64 to f32
      linalg.yield %54 : f32
    } -> tensor<40x40xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<40x40xf32>) outs(%16 : tensor<40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.divf %in, %cst_2 : f32
      linalg.yield %54 : f32
    } -> tensor<40x40xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<40x40xf32>) outs(%16 : tensor<40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.log %in : f32
      linalg.yield %54 : f32
    } -> tensor<40x40xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<40x40xf32>) outs(%16 : tensor<40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.truncf %cst_1 : f64 to f32
      %55 = arith.divf %in, %54 : f32
      linalg.yield %55 : f32
    } -> tensor<40x40xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<40x40xf32>) outs(%16 : tensor<40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.mulf %in, %cst_2 : f32
      linalg.yield %54 : f32
    } -> tensor<40x40xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<40x40xf32>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: f32, %out: i64):
      %54 = arith.fptosi %in : f32 to i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %out: i64):
      %54 = arith.addi %in, %c8_i64 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<40x40xi64>) outs(%11 : tensor<40x40xi1>) {
    ^bb0(%in: i64, %out: i1):
      %54 = arith.cmpi slt, %in, %c8_i64 : i64
      linalg.yield %54 : i1
    } -> tensor<40x40xi1>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %out: i64):
      %54 = arith.minsi %in, %c15_i64 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %26 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%24, %15, %25 : tensor<40x40xi1>, tensor<40x40xi64>, tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i1, %in_24: i64, %in_25: i64, %out: i64):
      %54 = arith.select %in, %in_24, %in_25 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%14, %26 : tensor<40x40xi64>, tensor<40x40xi64>) outs(%9 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %in_24: i64, %out: i64):
      %54 = arith.addi %in, %in_24 : i64
      linalg.yield %54 : i64
    } -> tensor<40x40xi64>
    %28 = tensor.empty() : tensor<40x40x2xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<40x40xi64>) outs(%28 : tensor<40x40x2xf32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = arith.index_cast %in : i64 to index
      %55 = linalg.index 2 : index
      %56 = arith.cmpi slt, %54, %c32 : index
      cf.assert %56, "index must be smaller than dim size"
      %57 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %57, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg5[%54, %55] : tensor<32x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<40x40x2xf32>
    %30 = tensor.empty() : tensor<2x40x40xf32>
    %transposed_11 = linalg.transpose ins(%29 : tensor<40x40x2xf32>) outs(%30 : tensor<2x40x40xf32>) permutation = [2, 0, 1] 
    %31 = tensor.empty() : tensor<1x2x8x40xf32>
    %transposed_12 = linalg.transpose ins(%expanded_5 : tensor<1x40x2x8xf32>) outs(%31 : tensor<1x2x8x40xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_13 = tensor.collapse_shape %transposed_3 [[0, 1], [2], [3]] : tensor<1x2x40x8xf32> into tensor<2x40x8xf32>
    %collapsed_14 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<1x2x8x40xf32> into tensor<2x8x40xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
    %33 = linalg.batch_matmul ins(%collapsed_13, %collapsed_14 : tensor<2x40x8xf32>, tensor<2x8x40xf32>) outs(%32 : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
    %expanded_15 = tensor.expand_shape %33 [[0, 1], [2], [3]] output_shape [1, 2, 40, 40] : tensor<2x40x40xf32> into tensor<1x2x40x40xf32>
    %34 = tensor.empty() : tensor<1x2x40x40xf32>
    %35 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_15, %transposed_11 : tensor<1x2x40x40xf32>, tensor<2x40x40xf32>) outs(%34 : tensor<1x2x40x40xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %54 = arith.addf %in, %in_24 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x40x40xf32>
    %36 = tensor.empty() : tensor<1x2x40xi64>
    %37 = linalg.fill ins(%c0_i64 : i64) outs(%36 : tensor<1x2x40xi64>) -> tensor<1x2x40xi64>
    %38 = tensor.empty() : tensor<1x2x40xf32>
    %39 = linalg.fill ins(%cst_0 : f32) outs(%38 : tensor<1x2x40xf32>) -> tensor<1x2x40xf32>
    %40:2 = linalg.generic {indexing_maps = [#map6, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%35 : tensor<1x2x40x40xf32>) outs(%39, %37 : tensor<1x2x40xf32>, tensor<1x2x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_24: i64):
      %54 = linalg.index 3 : index
      %55 = arith.index_cast %54 : index to i64
      %56 = arith.maximumf %in, %out : f32
      %57 = arith.cmpf ogt, %in, %out : f32
      %58 = arith.select %57, %55, %out_24 : i64
      linalg.yield %56, %58 : f32, i64
    } -> (tensor<1x2x40xf32>, tensor<1x2x40xi64>)
    %expanded_16 = tensor.expand_shape %40#0 [[0], [1], [2, 3]] output_shape [1, 2, 40, 1] : tensor<1x2x40xf32> into tensor<1x2x40x1xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %expanded_16 : tensor<1x2x40x40xf32>, tensor<1x2x40x1xf32>) outs(%34 : tensor<1x2x40x40xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %54 = arith.subf %in, %in_24 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x40x40xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<1x2x40x40xf32>) outs(%34 : tensor<1x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.exp %in : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x40x40xf32>
    %43 = tensor.empty() : tensor<1x2x40x1xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<1x2x40x1xf32>) -> tensor<1x2x40x1xf32>
    %45 = linalg.generic {indexing_maps = [#map6, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%42 : tensor<1x2x40x40xf32>) outs(%44 : tensor<1x2x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x40x1xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %45 : tensor<1x2x40x40xf32>, tensor<1x2x40x1xf32>) outs(%34 : tensor<1x2x40x40xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %54 = arith.divf %in, %in_24 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x40x40xf32>
    %collapsed_17 = tensor.collapse_shape %46 [[0, 1], [2], [3]] : tensor<1x2x40x40xf32> into tensor<2x40x40xf32>
    %collapsed_18 = tensor.collapse_shape %transposed_8 [[0, 1], [2], [3]] : tensor<1x2x40x8xf32> into tensor<2x40x8xf32>
    %47 = tensor.empty() : tensor<2x40x8xf32>
    %48 = linalg.fill ins(%cst : f32) outs(%47 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
    %49 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<2x40x40xf32>, tensor<2x40x8xf32>) outs(%48 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
    %expanded_19 = tensor.expand_shape %49 [[0, 1], [2], [3]] output_shape [1, 2, 40, 8] : tensor<2x40x8xf32> into tensor<1x2x40x8xf32>
    %50 = tensor.empty() : tensor<1x40x2x8xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<1x2x40x8xf32>) outs(%50 : tensor<1x40x2x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_21 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0] 
    %collapsed_22 = tensor.collapse_shape %transposed_20 [[0, 1], [2, 3]] : tensor<1x40x2x8xf32> into tensor<40x16xf32>
    %51 = linalg.matmul ins(%collapsed_22, %transposed_21 : tensor<40x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<40x16xf32>) -> tensor<40x16xf32>
    %expanded_23 = tensor.expand_shape %51 [[0, 1], [2]] output_shape [1, 40, 16] : tensor<40x16xf32> into tensor<1x40x16xf32>
    %52 = tensor.empty() : tensor<1x40x16xf32>
    %53 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_23 : tensor<1x40x16xf32>, tensor<1x40x16xf32>) outs(%52 : tensor<1x40x16xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %54 = arith.addf %in, %in_24 : f32
      linalg.yield %54 : f32
    } -> tensor<1x40x16xf32>
    return %53 : tensor<1x40x16xf32>
  }
}
