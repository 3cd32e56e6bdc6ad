// {"shapes": [[2, 37, 16], [48, 16], [48], [16, 16], [16], [32, 16], [32], [16, 32], [16], [16], [16], [16], [16]], "spreads": [1.0, 0.5, 0.5, 0.25, 0.5, 0.25, 0.5, 0.17677669529663687, 0.5, 0.5, 0.5, 0.5, 0.5], "error": 8.33e-07}
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @vit_block(%arg0: tensor<2x37x16xf32>, %arg1: tensor<48x16xf32>, %arg2: tensor<48xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<32x16xf32>, %arg6: tensor<32xf32>, %arg7: tensor<16x32xf32>, %arg8: tensor<16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<16xf32>, %arg12: tensor<16xf32>) -> tensor<2x37x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant 0.35355339059327379 : f64
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.600000e+01 : f64
    %cst_7 = arith.constant 1.600000e+01 : f32
    %cst_8 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<2x37x16xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x37x16xf32>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %87 = arith.extf %in : f32 to f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %2 = tensor.empty() : tensor<2x37x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<2x37x1xf64>) -> tensor<2x37x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x37x16xf64>) outs(%3 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.addf %in, %out : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x37x1xf64>) outs(%2 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.divf %in, %cst_6 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<2x37x16xf64>, tensor<2x37x1xf64>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f64, %in_32: f64, %out: f64):
      %87 = arith.subf %in, %in_32 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x37x16xf64>, tensor<2x37x16xf64>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f64, %in_32: f64, %out: f64):
      %87 = arith.mulf %in, %in_32 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x37x16xf64>) outs(%3 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.addf %in, %out : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x37x1xf64>) outs(%2 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.divf %in, %cst_6 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %10 = tensor.empty() : tensor<2x37x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x37x1xf64>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %87 = arith.truncf %in : f64 to f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x37x1xf32>) -> tensor<2x37x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x37x16xf32>) outs(%12 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_7 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_5 : f64 to f32
      %88 = arith.addf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<2x37x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.rsqrt %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %17 = tensor.empty() : tensor<2x37x16xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<2x37x16xf32>, tensor<2x37x1xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.subf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x37x16xf32>, tensor<2x37x1xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.mulf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg9 : tensor<2x37x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.mulf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg10 : tensor<2x37x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<2x37x16xf32> into tensor<74x16xf32>
    %22 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<48x16xf32>) outs(%22 : tensor<16x48xf32>) permutation = [1, 0] 
    %23 = tensor.empty() : tensor<74x48xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<74x48xf32>) -> tensor<74x48xf32>
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<74x16xf32>, tensor<16x48xf32>) outs(%24 : tensor<74x48xf32>) -> tensor<74x48xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<48xf32>) outs(%23 : tensor<74x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<74x48xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%25, %26 : tensor<74x48xf32>, tensor<74x48xf32>) outs(%23 : tensor<74x48xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<74x48xf32>
    %expanded = tensor.expand_shape %27 [[0, 1], [2, 3, 4]] output_shape [2, 37, 3, 2, 8] : tensor<74x48xf32> into tensor<2x37x3x2x8xf32>
    %28 = tensor.empty() : tensor<3x2x2x37x8xf32>
    %transposed_9 = linalg.transpose ins(%expanded : tensor<2x37x3x2x8xf32>) outs(%28 : tensor<3x2x2x37x8xf32>) permutation = [2, 0, 3, 1, 4] 
    %extracted_slice = tensor.extract_slice %transposed_9[0, 0, 0, 0, 0] [1, 2, 2, 37, 8] [1, 1, 1, 1, 1] : tensor<3x2x2x37x8xf32> to tensor<1x2x2x37x8xf32>
    %extracted_slice_10 = tensor.extract_slice %transposed_9[1, 0, 0, 0, 0] [1, 2, 2, 37, 8] [1, 1, 1, 1, 1] : tensor<3x2x2x37x8xf32> to tensor<1x2x2x37x8xf32>
    %extracted_slice_11 = tensor.extract_slice %transposed_9[2, 0, 0, 0, 0] [1, 2, 2, 37, 8] [1, 1, 1, 1, 1] : tensor<3x2x2x37x8xf32> to tensor<1x2x2x37x8xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice [[0, 1], [2], [3], [4]] : tensor<1x2x2x37x8xf32> into tensor<2x2x37x8xf32>
    %collapsed_13 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2], [3], [4]] : tensor<1x2x2x37x8xf32> into tensor<2x2x37x8xf32>
    %29 = tensor.empty() : tensor<2x2x37x8xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_12 : tensor<2x2x37x8xf32>) outs(%29 : tensor<2x2x37x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_4 : f64 to f32
      %88 = arith.mulf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<2x2x37x8xf32>
    %31 = tensor.empty() : tensor<2x2x8x37xf32>
    %transposed_14 = linalg.transpose ins(%collapsed_13 : tensor<2x2x37x8xf32>) outs(%31 : tensor<2x2x8x37xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_15 = tensor.collapse_shape %30 [[0, 1], [2], [3]] : tensor<2x2x37x8xf32> into tensor<4x37x8xf32>
    %collapsed_16 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3]] : tensor<2x2x8x37xf32> into tensor<4x8x37xf32>
    %32 = tensor.empty() : tensor<4x37x37xf32>
    %33 = linalg.fill ins(%cst_0 : f32) outs(%32 : tensor<4x37x37xf32>) -> tensor<4x37x37xf32>
    %34 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<4x37x8xf32>, tensor<4x8x37xf32>) outs(%33 : tensor<4x37x37xf32>) -> tensor<4x37x37xf32>
    %expanded_17 = tensor.expand_shape %34 [[0, 1], [2], [3]] output_shape [2, 2, 37, 37] : tensor<4x37x37xf32> into tensor<2x2x37x37xf32>
    %35 = tensor.empty() : tensor<2x2x37xi64>
    %36 = linalg.fill ins(%c0_i64 : i64) outs(%35 : tensor<2x2x37xi64>) -> tensor<2x2x37xi64>
    %37 = tensor.empty() : tensor<2x2x37xf32>
    %38 = linalg.fill ins(%cst_1 : f32) outs(%37 : tensor<2x2x37xf32>) -> tensor<2x2x37xf32>
    %39:2 = linalg.generic {indexing_maps = [#map5, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_17 : tensor<2x2x37x37xf32>) outs(%38, %36 : tensor<2x2x37xf32>, tensor<2x2x37xi64>) {
    ^bb0(%in: f32, %out: f32, %out_32: i64):
      %87 = linalg.index 3 : index
      %88 = arith.index_cast %87 : index to i64
      %89 = arith.maximumf %in, %out : f32
      %90 = arith.cmpf ogt, %in, %out : f32
      %91 = arith.select %90, %88, %out_32 : i64
      linalg.yield %89, %91 : f32, i64
    } -> (tensor<2x2x37xf32>, tensor<2x2x37xi64>)
    %expanded_18 = tensor.expand_shape %39#0 [[0], [1], [2, 3]] output_shape [2, 2, 37, 1] : tensor<2x2x37xf32> into tensor<2x2x37x1xf32>
    %40 = tensor.empty() : tensor<2x2x37x37xf32>
    %41 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17, %expanded_18 : tensor<2x2x37x37xf32>, tensor<2x2x37x1xf32>) outs(%40 : tensor<2x2x37x37xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.subf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x2x37x37xf32>
    %42 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x2x37x37xf32>) outs(%40 : tensor<2x2x37x37xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.exp %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x2x37x37xf32>
    %43 = tensor.empty() : tensor<2x2x37x1xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%43 : tensor<2x2x37x1xf32>) -> tensor<2x2x37x1xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%42 : tensor<2x2x37x37xf32>) outs(%44 : tensor<2x2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<2x2x37x1xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %45 : tensor<2x2x37x37xf32>, tensor<2x2x37x1xf32>) outs(%40 : tensor<2x2x37x37xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.divf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x2x37x37xf32>
    %collapsed_19 = tensor.collapse_shape %46 [[0, 1], [2], [3]] : tensor<2x2x37x37xf32> into tensor<4x37x37xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice_11 [[0, 1, 2], [3], [4]] : tensor<1x2x2x37x8xf32> into tensor<4x37x8xf32>
    %47 = tensor.empty() : tensor<4x37x8xf32>
    %48 = linalg.fill ins(%cst_0 : f32) outs(%47 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
    %49 = linalg.batch_matmul ins(%collapsed_19, %collapsed_20 : tensor<4x37x37xf32>, tensor<4x37x8xf32>) outs(%48 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
    %expanded_21 = tensor.expand_shape %49 [[0, 1], [2], [3]] output_shape [2, 2, 37, 8] : tensor<4x37x8xf32> into tensor<2x2x37x8xf32>
    %50 = tensor.empty() : tensor<2x37x2x8xf32>
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<2x2x37x8xf32>) outs(%50 : tensor<2x37x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_23 = tensor.collapse_shape %transposed_22 [[0, 1], [2, 3]] : tensor<2x37x2x8xf32> into tensor<74x16xf32>
    %51 = tensor.empty() : tensor<16x16xf32>
    %transposed_24 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%51 : tensor<16x16xf32>) permutation = [1, 0] 
    %52 = tensor.empty() : tensor<74x16xf32>
    %53 = linalg.fill ins(%cst_0 : f32) outs(%52 : tensor<74x16xf32>) -> tensor<74x16xf32>
    %54 = linalg.matmul ins(%collapsed_23, %transposed_24 : tensor<74x16xf32>, tensor<16x16xf32>) outs(%53 : tensor<74x16xf32>) -> tensor<74x16xf32>
    %55 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<16xf32>) outs(%52 : tensor<74x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<74x16xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%54, %55 : tensor<74x16xf32>, tensor<74x16xf32>) outs(%52 : tensor<74x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<74x16xf32>
    %expanded_25 = tensor.expand_shape %56 [[0, 1], [2]] output_shape [2, 37, 16] : tensor<74x16xf32> into tensor<2x37x16xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_25 : tensor<2x37x16xf32>, tensor<2x37x16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<2x37x16xf32>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %87 = arith.extf %in : f32 to f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %59 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%58 : tensor<2x37x16xf64>) outs(%3 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.addf %in, %out : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %60 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<2x37x1xf64>) outs(%2 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.divf %in, %cst_6 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %61 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %60 : tensor<2x37x16xf64>, tensor<2x37x1xf64>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f64, %in_32: f64, %out: f64):
      %87 = arith.subf %in, %in_32 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %62 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %61 : tensor<2x37x16xf64>, tensor<2x37x16xf64>) outs(%0 : tensor<2x37x16xf64>) {
    ^bb0(%in: f64, %in_32: f64, %out: f64):
      %87 = arith.mulf %in, %in_32 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x16xf64>
    %63 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<2x37x16xf64>) outs(%3 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.addf %in, %out : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x37x1xf64>) outs(%2 : tensor<2x37x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %87 = arith.divf %in, %cst_6 : f64
      linalg.yield %87 : f64
    } -> tensor<2x37x1xf64>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x37x1xf64>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %87 = arith.truncf %in : f64 to f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%57 : tensor<2x37x16xf32>) outs(%12 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_7 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_5 : f64 to f32
      %88 = arith.addf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<2x37x1xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x37x1xf32>) outs(%10 : tensor<2x37x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.rsqrt %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x1xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %67 : tensor<2x37x16xf32>, tensor<2x37x1xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.subf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %69 : tensor<2x37x16xf32>, tensor<2x37x1xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.mulf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %arg11 : tensor<2x37x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.mulf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %arg12 : tensor<2x37x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    %collapsed_26 = tensor.collapse_shape %73 [[0, 1], [2]] : tensor<2x37x16xf32> into tensor<74x16xf32>
    %74 = tensor.empty() : tensor<16x32xf32>
    %transposed_27 = linalg.transpose ins(%arg5 : tensor<32x16xf32>) outs(%74 : tensor<16x32xf32>) permutation = [1, 0] 
    %75 = tensor.empty() : tensor<74x32xf32>
    %76 = linalg.fill ins(%cst_0 : f32) outs(%75 : tensor<74x32xf32>) -> tensor<74x32xf32>
    %77 = linalg.matmul ins(%collapsed_26, %transposed_27 : tensor<74x16xf32>, tensor<16x32xf32>) outs(%76 : tensor<74x32xf32>) -> tensor<74x32xf32>
    %78 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<32xf32>) outs(%75 : tensor<74x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<74x32xf32>
    %79 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%77, %78 : tensor<74x32xf32>, tensor<74x32xf32>) outs(%75 : tensor<74x32xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<74x32xf32>
    %expanded_28 = tensor.expand_shape %79 [[0, 1], [2]] output_shape [2, 37, 32] : tensor<74x32xf32> into tensor<2x37x32xf32>
    %80 = tensor.empty() : tensor<2x37x32xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_28 : tensor<2x37x32xf32>) outs(%80 : tensor<2x37x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_8 : f32
      %88 = math.erf %87 : f32
      %89 = arith.addf %88, %cst_2 : f32
      %90 = arith.mulf %89, %cst_3 : f32
      %91 = arith.mulf %in, %90 : f32
      linalg.yield %91 : f32
    } -> tensor<2x37x32xf32>
    %collapsed_29 = tensor.collapse_shape %81 [[0, 1], [2]] : tensor<2x37x32xf32> into tensor<74x32xf32>
    %82 = tensor.empty() : tensor<32x16xf32>
    %transposed_30 = linalg.transpose ins(%arg7 : tensor<16x32xf32>) outs(%82 : tensor<32x16xf32>) permutation = [1, 0] 
    %83 = linalg.matmul ins(%collapsed_29, %transposed_30 : tensor<74x32xf32>, tensor<32x16xf32>) outs(%53 : tensor<74x16xf32>) -> tensor<74x16xf32>
    %84 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<16xf32>) outs(%52 : tensor<74x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<74x16xf32>
    %85 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%83, %84 : tensor<74x16xf32>, tensor<74x16xf32>) outs(%52 : tensor<74x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<74x16xf32>
    %expanded_31 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [2, 37, 16] : tensor<74x16xf32> into tensor<2x37x16xf32>
    %86 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %expanded_31 : tensor<2x37x16xf32>, tensor<2x37x16xf32>) outs(%17 : tensor<2x37x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %87 = arith.addf %in, %in_32 : f32
      linalg.yield %87 : f32
    } -> tensor<2x37x16xf32>
    return %86 : tensor<2x37x16xf32>
  }
}
