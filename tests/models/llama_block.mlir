// {"shapes": [[1, 150, 32], [32, 32], [16, 32], [16, 32], [32, 32], [64, 32], [64, 32], [32, 64], [32], [32]], "spreads": [1.0, 0.35355339059327373, 0.35355339059327373, 0.17677669529663687, 0.17677669529663687, 0.17677669529663687, 0.17677669529663687, 0.125, 0.5, 0.5], "error": 3.29e-07}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1) -> (0, d1)>
#map10 = affine_map<(d0, d1) -> ()>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @llama_block(%arg0: tensor<1x150x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<16x32xf32>, %arg3: tensor<16x32xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<64x32xf32>, %arg6: tensor<64x32xf32>, %arg7: tensor<32x64xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>) -> tensor<1x150x32xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x4x150x150xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<true> : tensor<150x150xi1>
    %cst_6 = arith.constant 0xFFF0000000000000 : f64
    %cst_7 = arith.constant 0.59460355750136051 : f64
    %cst_8 = arith.constant 9.9999999999999995E-7 : f64
    %cst_9 = arith.constant 4.000000e+00 : f32
    %cst_10 = arith.constant 1.000000e+04 : f32
    %cst_11 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<150xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<150xi64>) {
    ^bb0(%out: i64):
      %107 = linalg.index 0 : index
      %108 = arith.index_cast %107 : index to i64
      linalg.yield %108 : i64
    } -> tensor<150xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [150, 1] : tensor<150xi64> into tensor<150x1xi64>
    %2 = tensor.empty() : tensor<4xi64>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %107 = linalg.index 0 : index
      %108 = arith.index_cast %107 : index to i64
      linalg.yield %108 : i64
    } -> tensor<4xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<4xi64>) outs(%2 : tensor<4xi64>) {
    ^bb0(%in: i64, %out: i64):
      %107 = arith.sitofp %in : i64 to f32
      %108 = arith.negf %107 : f32
      %109 = arith.fptosi %108 : f32 to i64
      linalg.yield %109 : i64
    } -> tensor<4xi64>
    %5 = tensor.empty() : tensor<4xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<4xi64>) outs(%5 : tensor<4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %107 = arith.sitofp %in : i64 to f32
      %108 = arith.divf %107, %cst_9 : f32
      linalg.yield %108 : f32
    } -> tensor<4xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<4xf32>) outs(%5 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.powf %cst_10, %in : f32
      linalg.yield %107 : f32
    } -> tensor<4xf32>
    %8 = tensor.empty() : tensor<150x4xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %7 : tensor<150x1xi64>, tensor<4xf32>) outs(%8 : tensor<150x4xf32>) {
    ^bb0(%in: i64, %in_46: f32, %out: f32):
      %107 = arith.sitofp %in : i64 to f32
      %108 = arith.mulf %107, %in_46 : f32
      linalg.yield %108 : f32
    } -> tensor<150x4xf32>
    %10 = tensor.empty() : tensor<1x150x32xf32>
    %11 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %12 = tensor.empty() : tensor<1x150x1xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<1x150x1xf32>) -> tensor<1x150x1xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<1x150x32xf32>) outs(%13 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.addf %in, %out : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.divf %in, %cst_11 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.truncf %cst_8 : f64 to f32
      %108 = arith.addf %in, %107 : f32
      linalg.yield %108 : f32
    } -> tensor<1x150x1xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.rsqrt %in : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %17 : tensor<1x150x32xf32>, tensor<1x150x1xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %19 = linalg.generic {indexing_maps = [#map6, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %18 : tensor<32xf32>, tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %20 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<32x32xf32>) outs(%20 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %19 [[0, 1], [2]] : tensor<1x150x32xf32> into tensor<150x32xf32>
    %21 = tensor.empty() : tensor<150x32xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %23 = linalg.matmul ins(%collapsed, %transposed : tensor<150x32xf32>, tensor<32x32xf32>) outs(%22 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %expanded_12 = tensor.expand_shape %23 [[0, 1], [2, 3]] output_shape [1, 150, 4, 8] : tensor<150x32xf32> into tensor<1x150x4x8xf32>
    %24 = tensor.empty() : tensor<1x4x150x8xf32>
    %transposed_13 = linalg.transpose ins(%expanded_12 : tensor<1x150x4x8xf32>) outs(%24 : tensor<1x4x150x8xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice = tensor.extract_slice %transposed_13[0, 0, 0, 0] [1, 4, 150, 4] [1, 1, 1, 1] : tensor<1x4x150x8xf32> to tensor<1x4x150x4xf32>
    %extracted_slice_14 = tensor.extract_slice %transposed_13[0, 0, 0, 4] [1, 4, 150, 4] [1, 1, 1, 1] : tensor<1x4x150x8xf32> to tensor<1x4x150x4xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<150x4xf32>) outs(%8 : tensor<150x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.cos %in : f32
      linalg.yield %107 : f32
    } -> tensor<150x4xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<150x4xf32>) outs(%8 : tensor<150x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.sin %in : f32
      linalg.yield %107 : f32
    } -> tensor<150x4xf32>
    %27 = tensor.empty() : tensor<1x4x150x4xf32>
    %28 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %25 : tensor<1x4x150x4xf32>, tensor<150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %29 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %26 : tensor<1x4x150x4xf32>, tensor<150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %30 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %29 : tensor<1x4x150x4xf32>, tensor<1x4x150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.subf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %31 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %25 : tensor<1x4x150x4xf32>, tensor<150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %32 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %26 : tensor<1x4x150x4xf32>, tensor<150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %33 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %32 : tensor<1x4x150x4xf32>, tensor<1x4x150x4xf32>) outs(%27 : tensor<1x4x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.addf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x4xf32>
    %concat = tensor.concat dim(3) %30, %33 : (tensor<1x4x150x4xf32>, tensor<1x4x150x4xf32>) -> tensor<1x4x150x8xf32>
    %34 = tensor.empty() : tensor<32x16xf32>
    %transposed_15 = linalg.transpose ins(%arg2 : tensor<16x32xf32>) outs(%34 : tensor<32x16xf32>) permutation = [1, 0] 
    %35 = tensor.empty() : tensor<150x16xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %37 = linalg.matmul ins(%collapsed, %transposed_15 : tensor<150x32xf32>, tensor<32x16xf32>) outs(%36 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %expanded_16 = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [1, 150, 2, 8] : tensor<150x16xf32> into tensor<1x150x2x8xf32>
    %38 = tensor.empty() : tensor<1x2x150x8xf32>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<1x150x2x8xf32>) outs(%38 : tensor<1x2x150x8xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice_18 = tensor.extract_slice %transposed_17[0, 0, 0, 0] [1, 2, 150, 4] [1, 1, 1, 1] : tensor<1x2x150x8xf32> to tensor<1x2x150x4xf32>
    %extracted_slice_19 = tensor.extract_slice %transposed_17[0, 0, 0, 4] [1, 2, 150, 4] [1, 1, 1, 1] : tensor<1x2x150x8xf32> to tensor<1x2x150x4xf32>
    %39 = tensor.empty() : tensor<1x2x150x4xf32>
    %40 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_18, %25 : tensor<1x2x150x4xf32>, tensor<150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %41 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_19, %26 : tensor<1x2x150x4xf32>, tensor<150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %42 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %41 : tensor<1x2x150x4xf32>, tensor<1x2x150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.subf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %43 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_19, %25 : tensor<1x2x150x4xf32>, tensor<150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %44 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_18, %26 : tensor<1x2x150x4xf32>, tensor<150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %45 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %44 : tensor<1x2x150x4xf32>, tensor<1x2x150x4xf32>) outs(%39 : tensor<1x2x150x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.addf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x2x150x4xf32>
    %concat_20 = tensor.concat dim(3) %42, %45 : (tensor<1x2x150x4xf32>, tensor<1x2x150x4xf32>) -> tensor<1x2x150x8xf32>
    %transposed_21 = linalg.transpose ins(%arg3 : tensor<16x32xf32>) outs(%34 : tensor<32x16xf32>) permutation = [1, 0] 
    %46 = linalg.matmul ins(%collapsed, %transposed_21 : tensor<150x32xf32>, tensor<32x16xf32>) outs(%36 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %expanded_22 = tensor.expand_shape %46 [[0, 1], [2, 3]] output_shape [1, 150, 2, 8] : tensor<150x16xf32> into tensor<1x150x2x8xf32>
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<1x150x2x8xf32>) outs(%38 : tensor<1x2x150x8xf32>) permutation = [0, 2, 1, 3] 
    %47 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat : tensor<1x4x150x8xf32>) outs(%24 : tensor<1x4x150x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.truncf %cst_7 : f64 to f32
      %108 = arith.mulf %in, %107 : f32
      linalg.yield %108 : f32
    } -> tensor<1x4x150x8xf32>
    %expanded_24 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 150] : tensor<150xi64> into tensor<1x150xi64>
    %48 = tensor.empty() : tensor<150x150xi64>
    %49 = linalg.generic {indexing_maps = [#map9, #map1, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_24, %expanded : tensor<1x150xi64>, tensor<150x1xi64>) outs(%48 : tensor<150x150xi64>) {
    ^bb0(%in: i64, %in_46: i64, %out: i64):
      %107 = arith.subi %in, %in_46 : i64
      linalg.yield %107 : i64
    } -> tensor<150x150xi64>
    %50 = tensor.empty() : tensor<150x150xi1>
    %51 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<150x150xi64>) outs(%50 : tensor<150x150xi1>) {
    ^bb0(%in: i64, %out: i1):
      %107 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %107 : i1
    } -> tensor<150x150xi1>
    %52 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%51, %cst_5 : tensor<150x150xi1>, tensor<150x150xi1>) outs(%50 : tensor<150x150xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %107 = arith.andi %in, %in_46 : i1
      linalg.yield %107 : i1
    } -> tensor<150x150xi1>
    %53 = tensor.empty() : tensor<150x150xf32>
    %54 = linalg.generic {indexing_maps = [#map3, #map10, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%52, %cst_3, %cst_4 : tensor<150x150xi1>, tensor<f32>, tensor<f32>) outs(%53 : tensor<150x150xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %107 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %107 : f32
    } -> tensor<150x150xf32>
    %55 = tensor.empty() : tensor<1x2x2x150x8xf32>
    %56 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%concat_20 : tensor<1x2x150x8xf32>) outs(%55 : tensor<1x2x2x150x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x150x8xf32>
    %collapsed_25 = tensor.collapse_shape %56 [[0], [1, 2], [3], [4]] : tensor<1x2x2x150x8xf32> into tensor<1x4x150x8xf32>
    %57 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_23 : tensor<1x2x150x8xf32>) outs(%55 : tensor<1x2x2x150x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x150x8xf32>
    %58 = tensor.empty() : tensor<1x4x8x150xf32>
    %transposed_26 = linalg.transpose ins(%collapsed_25 : tensor<1x4x150x8xf32>) outs(%58 : tensor<1x4x8x150xf32>) permutation = [0, 1, 3, 2] 
    %59 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_26 : tensor<1x4x8x150xf32>) outs(%58 : tensor<1x4x8x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.truncf %cst_7 : f64 to f32
      %108 = arith.mulf %in, %107 : f32
      linalg.yield %108 : f32
    } -> tensor<1x4x8x150xf32>
    %collapsed_27 = tensor.collapse_shape %47 [[0, 1], [2], [3]] : tensor<1x4x150x8xf32> into tensor<4x150x8xf32>
    %collapsed_28 = tensor.collapse_shape %59 [[0, 1], [2], [3]] : tensor<1x4x8x150xf32> into tensor<4x8x150xf32>
    %60 = tensor.empty() : tensor<4x150x150xf32>
    %61 = linalg.fill ins(%cst : f32) outs(%60 : tensor<4x150x150xf32>) -> tensor<4x150x150xf32>
    %62 = linalg.batch_matmul ins(%collapsed_27, %collapsed_28 : tensor<4x150x8xf32>, tensor<4x8x150xf32>) outs(%61 : tensor<4x150x150xf32>) -> tensor<4x150x150xf32>
    %expanded_29 = tensor.expand_shape %62 [[0, 1], [2], [3]] output_shape [1, 4, 150, 150] : tensor<4x150x150xf32> into tensor<1x4x150x150xf32>
    %63 = tensor.empty() : tensor<1x4x150x150xf32>
    %64 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29, %54 : tensor<1x4x150x150xf32>, tensor<150x150xf32>) outs(%63 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.addf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x150xf32>
    %65 = tensor.empty() : tensor<1x4x150xi64>
    %66 = linalg.fill ins(%c0_i64 : i64) outs(%65 : tensor<1x4x150xi64>) -> tensor<1x4x150xi64>
    %67 = tensor.empty() : tensor<1x4x150xf32>
    %68 = linalg.fill ins(%cst_0 : f32) outs(%67 : tensor<1x4x150xf32>) -> tensor<1x4x150xf32>
    %69:2 = linalg.generic {indexing_maps = [#map7, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%64 : tensor<1x4x150x150xf32>) outs(%68, %66 : tensor<1x4x150xf32>, tensor<1x4x150xi64>) {
    ^bb0(%in: f32, %out: f32, %out_46: i64):
      %107 = linalg.index 3 : index
      %108 = arith.index_cast %107 : index to i64
      %109 = arith.maximumf %in, %out : f32
      %110 = arith.cmpf ogt, %in, %out : f32
      %111 = arith.select %110, %108, %out_46 : i64
      linalg.yield %109, %111 : f32, i64
    } -> (tensor<1x4x150xf32>, tensor<1x4x150xi64>)
    %expanded_30 = tensor.expand_shape %69#0 [[0], [1], [2, 3]] output_shape [1, 4, 150, 1] : tensor<1x4x150xf32> into tensor<1x4x150x1xf32>
    %70 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %expanded_30 : tensor<1x4x150x150xf32>, tensor<1x4x150x1xf32>) outs(%63 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.subf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x150xf32>
    %71 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<1x4x150x150xf32>) outs(%63 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.exp %in : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x150xf32>
    %72 = tensor.empty() : tensor<1x4x150x1xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<1x4x150x1xf32>) -> tensor<1x4x150x1xf32>
    %74 = linalg.generic {indexing_maps = [#map7, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%71 : tensor<1x4x150x150xf32>) outs(%73 : tensor<1x4x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.addf %in, %out : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x1xf32>
    %75 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %74 : tensor<1x4x150x150xf32>, tensor<1x4x150x1xf32>) outs(%63 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.divf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x150xf32>
    %76 = tensor.empty() : tensor<1x4x150x150xi1>
    %77 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<1x4x150x150xf32>) outs(%76 : tensor<1x4x150x150xi1>) {
    ^bb0(%in: f32, %out: i1):
      %107 = arith.extf %in : f32 to f64
      %108 = arith.cmpf oeq, %107, %cst_6 : f64
      linalg.yield %108 : i1
    } -> tensor<1x4x150x150xi1>
    %78 = tensor.empty() : tensor<1x4x150x1xi1>
    %79 = linalg.fill ins(%true : i1) outs(%78 : tensor<1x4x150x1xi1>) -> tensor<1x4x150x1xi1>
    %80 = linalg.generic {indexing_maps = [#map7, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%77 : tensor<1x4x150x150xi1>) outs(%79 : tensor<1x4x150x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %107 = arith.andi %in, %out : i1
      linalg.yield %107 : i1
    } -> tensor<1x4x150x1xi1>
    %81 = linalg.generic {indexing_maps = [#map14, #map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %cst_2, %75 : tensor<1x4x150x1xi1>, tensor<1x4x150x150xf32>, tensor<1x4x150x150xf32>) outs(%63 : tensor<1x4x150x150xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %107 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %107 : f32
    } -> tensor<1x4x150x150xf32>
    %collapsed_31 = tensor.collapse_shape %81 [[0, 1], [2], [3]] : tensor<1x4x150x150xf32> into tensor<4x150x150xf32>
    %collapsed_32 = tensor.collapse_shape %57 [[0, 1, 2], [3], [4]] : tensor<1x2x2x150x8xf32> into tensor<4x150x8xf32>
    %82 = tensor.empty() : tensor<4x150x8xf32>
    %83 = linalg.fill ins(%cst : f32) outs(%82 : tensor<4x150x8xf32>) -> tensor<4x150x8xf32>
    %84 = linalg.batch_matmul ins(%collapsed_31, %collapsed_32 : tensor<4x150x150xf32>, tensor<4x150x8xf32>) outs(%83 : tensor<4x150x8xf32>) -> tensor<4x150x8xf32>
    %expanded_33 = tensor.expand_shape %84 [[0, 1], [2], [3]] output_shape [1, 4, 150, 8] : tensor<4x150x8xf32> into tensor<1x4x150x8xf32>
    %85 = tensor.empty() : tensor<1x150x4x8xf32>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<1x4x150x8xf32>) outs(%85 : tensor<1x150x4x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_35 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%20 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_36 = tensor.collapse_shape %transposed_34 [[0, 1], [2, 3]] : tensor<1x150x4x8xf32> into tensor<150x32xf32>
    %86 = linalg.matmul ins(%collapsed_36, %transposed_35 : tensor<150x32xf32>, tensor<32x32xf32>) outs(%22 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %expanded_37 = tensor.expand_shape %86 [[0, 1], [2]] output_shape [1, 150, 32] : tensor<150x32xf32> into tensor<1x150x32xf32>
    %87 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_37 : tensor<1x150x32xf32>, tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.addf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %88 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %89 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<1x150x32xf32>) outs(%13 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.addf %in, %out : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.divf %in, %cst_11 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %91 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.truncf %cst_8 : f64 to f32
      %108 = arith.addf %in, %107 : f32
      linalg.yield %108 : f32
    } -> tensor<1x150x1xf32>
    %92 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<1x150x1xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = math.rsqrt %in : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x1xf32>
    %93 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %92 : tensor<1x150x32xf32>, tensor<1x150x1xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %94 = linalg.generic {indexing_maps = [#map6, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %93 : tensor<32xf32>, tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    %95 = tensor.empty() : tensor<32x64xf32>
    %transposed_38 = linalg.transpose ins(%arg5 : tensor<64x32xf32>) outs(%95 : tensor<32x64xf32>) permutation = [1, 0] 
    %collapsed_39 = tensor.collapse_shape %94 [[0, 1], [2]] : tensor<1x150x32xf32> into tensor<150x32xf32>
    %96 = tensor.empty() : tensor<150x64xf32>
    %97 = linalg.fill ins(%cst : f32) outs(%96 : tensor<150x64xf32>) -> tensor<150x64xf32>
    %98 = linalg.matmul ins(%collapsed_39, %transposed_38 : tensor<150x32xf32>, tensor<32x64xf32>) outs(%97 : tensor<150x64xf32>) -> tensor<150x64xf32>
    %expanded_40 = tensor.expand_shape %98 [[0, 1], [2]] output_shape [1, 150, 64] : tensor<150x64xf32> into tensor<1x150x64xf32>
    %99 = tensor.empty() : tensor<1x150x64xf32>
    %100 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<1x150x64xf32>) outs(%99 : tensor<1x150x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %107 = arith.negf %in : f32
      %108 = math.exp %107 : f32
      %109 = arith.addf %108, %cst_1 : f32
      %110 = arith.divf %cst_1, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x64xf32>
    %101 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40, %100 : tensor<1x150x64xf32>, tensor<1x150x64xf32>) outs(%99 : tensor<1x150x64xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x64xf32>
    %transposed_41 = linalg.transpose ins(%arg6 : tensor<64x32xf32>) outs(%95 : tensor<32x64xf32>) permutation = [1, 0] 
    %102 = linalg.matmul ins(%collapsed_39, %transposed_41 : tensor<150x32xf32>, tensor<32x64xf32>) outs(%97 : tensor<150x64xf32>) -> tensor<150x64xf32>
    %expanded_42 = tensor.expand_shape %102 [[0, 1], [2]] output_shape [1, 150, 64] : tensor<150x64xf32> into tensor<1x150x64xf32>
    %103 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %expanded_42 : tensor<1x150x64xf32>, tensor<1x150x64xf32>) outs(%99 : tensor<1x150x64xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.mulf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x64xf32>
    %104 = tensor.empty() : tensor<64x32xf32>
    %transposed_43 = linalg.transpose ins(%arg7 : tensor<32x64xf32>) outs(%104 : tensor<64x32xf32>) permutation = [1, 0] 
    %collapsed_44 = tensor.collapse_shape %103 [[0, 1], [2]] : tensor<1x150x64xf32> into tensor<150x64xf32>
    %105 = linalg.matmul ins(%collapsed_44, %transposed_43 : tensor<150x64xf32>, tensor<64x32xf32>) outs(%22 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %expanded_45 = tensor.expand_shape %105 [[0, 1], [2]] output_shape [1, 150, 32] : tensor<150x32xf32> into tensor<1x150x32xf32>
    %106 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %expanded_45 : tensor<1x150x32xf32>, tensor<1x150x32xf32>) outs(%10 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %107 = arith.addf %in, %in_46 : f32
      linalg.yield %107 : f32
    } -> tensor<1x150x32xf32>
    return %106 : tensor<1x150x32xf32>
  }
}
