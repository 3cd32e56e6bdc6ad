// {"shapes": [[1, 150, 16], [48, 16], [48], [16, 16], [16], [32, 16], [32], [16, 32], [16], [16], [16], [16], [16]], "spreads": [1.0, 0.5, 0.5, 0.25, 0.5, 0.25, 0.5, 0.17677669529663687, 0.5, 0.5, 0.5, 0.5, 0.5], "error": 1.11e-06}
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (0, d1)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0, d1) -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @gpt2_block(%arg0: tensor<1x150x16xf32>, %arg1: tensor<48x16xf32>, %arg2: tensor<48xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<32x16xf32>, %arg6: tensor<32xf32>, %arg7: tensor<16x32xf32>, %arg8: tensor<16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<16xf32>, %arg12: tensor<16xf32>) -> tensor<1x150x16xf32> {
    %c3_i64 = arith.constant 3 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x2x150x150xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<true> : tensor<150x150xi1>
    %cst_6 = arith.constant 0.79788456080286541 : f64
    %cst_7 = arith.constant 4.471500e-02 : f64
    %cst_8 = arith.constant 0xFFF0000000000000 : f64
    %cst_9 = arith.constant 0.59460355750136051 : f64
    %cst_10 = arith.constant 1.000000e-05 : f64
    %cst_11 = arith.constant 1.600000e+01 : f64
    %cst_12 = arith.constant 1.600000e+01 : f32
    %cst_13 = arith.constant 5.000000e-01 : f32
    %cst_14 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x150x16xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x150x16xf32>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %110 = arith.extf %in : f32 to f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %2 = tensor.empty() : tensor<1x150x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<1x150x1xf64>) -> tensor<1x150x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<1x150x16xf64>) outs(%3 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.addf %in, %out : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x150x1xf64>) outs(%2 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.divf %in, %cst_11 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<1x150x16xf64>, tensor<1x150x1xf64>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f64, %in_42: f64, %out: f64):
      %110 = arith.subf %in, %in_42 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<1x150x16xf64>, tensor<1x150x16xf64>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f64, %in_42: f64, %out: f64):
      %110 = arith.mulf %in, %in_42 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<1x150x16xf64>) outs(%3 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.addf %in, %out : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<1x150x1xf64>) outs(%2 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.divf %in, %cst_11 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %10 = tensor.empty() : tensor<1x150x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x150x1xf64>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %110 = arith.truncf %in : f64 to f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<1x150x1xf32>) -> tensor<1x150x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<1x150x16xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.addf %in, %out : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.divf %in, %cst_12 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_10 : f64 to f32
      %111 = arith.addf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x150x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.rsqrt %in : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %17 = tensor.empty() : tensor<1x150x16xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<1x150x16xf32>, tensor<1x150x1xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.subf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<1x150x16xf32>, tensor<1x150x1xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.mulf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg9 : tensor<1x150x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.mulf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg10 : tensor<1x150x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<1x150x16xf32> into tensor<150x16xf32>
    %22 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<48x16xf32>) outs(%22 : tensor<16x48xf32>) permutation = [1, 0] 
    %23 = tensor.empty() : tensor<150x48xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<150x48xf32>) -> tensor<150x48xf32>
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<150x16xf32>, tensor<16x48xf32>) outs(%24 : tensor<150x48xf32>) -> tensor<150x48xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<48xf32>) outs(%23 : tensor<150x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<150x48xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%25, %26 : tensor<150x48xf32>, tensor<150x48xf32>) outs(%23 : tensor<150x48xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<150x48xf32>
    %expanded = tensor.expand_shape %27 [[0, 1], [2]] output_shape [1, 150, 48] : tensor<150x48xf32> into tensor<1x150x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [1, 150, 16] [1, 1, 1] : tensor<1x150x48xf32> to tensor<1x150x16xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded[0, 0, 16] [1, 150, 16] [1, 1, 1] : tensor<1x150x48xf32> to tensor<1x150x16xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded[0, 0, 32] [1, 150, 16] [1, 1, 1] : tensor<1x150x48xf32> to tensor<1x150x16xf32>
    %expanded_17 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [1, 150, 2, 8] : tensor<1x150x16xf32> into tensor<1x150x2x8xf32>
    %28 = tensor.empty() : tensor<1x2x150x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<1x150x2x8xf32>) outs(%28 : tensor<1x2x150x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_19 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [1, 150, 2, 8] : tensor<1x150x16xf32> into tensor<1x150x2x8xf32>
    %expanded_20 = tensor.expand_shape %extracted_slice_16 [[0], [1], [2, 3]] output_shape [1, 150, 2, 8] : tensor<1x150x16xf32> into tensor<1x150x2x8xf32>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<1x150x2x8xf32>) outs(%28 : tensor<1x2x150x8xf32>) permutation = [0, 2, 1, 3] 
    %29 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_18 : tensor<1x2x150x8xf32>) outs(%28 : tensor<1x2x150x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_9 : f64 to f32
      %111 = arith.mulf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x2x150x8xf32>
    %30 = tensor.empty() : tensor<150xi64>
    %31 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%30 : tensor<150xi64>) {
    ^bb0(%out: i64):
      %110 = linalg.index 0 : index
      %111 = arith.index_cast %110 : index to i64
      linalg.yield %111 : i64
    } -> tensor<150xi64>
    %expanded_22 = tensor.expand_shape %31 [[0, 1]] output_shape [1, 150] : tensor<150xi64> into tensor<1x150xi64>
    %expanded_23 = tensor.expand_shape %31 [[0, 1]] output_shape [150, 1] : tensor<150xi64> into tensor<150x1xi64>
    %32 = tensor.empty() : tensor<150x150xi64>
    %33 = linalg.generic {indexing_maps = [#map7, #map8, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_22, %expanded_23 : tensor<1x150xi64>, tensor<150x1xi64>) outs(%32 : tensor<150x150xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %110 = arith.subi %in, %in_42 : i64
      linalg.yield %110 : i64
    } -> tensor<150x150xi64>
    %34 = tensor.empty() : tensor<150x150xi1>
    %35 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<150x150xi64>) outs(%34 : tensor<150x150xi1>) {
    ^bb0(%in: i64, %out: i1):
      %110 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %110 : i1
    } -> tensor<150x150xi1>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%35, %cst_5 : tensor<150x150xi1>, tensor<150x150xi1>) outs(%34 : tensor<150x150xi1>) {
    ^bb0(%in: i1, %in_42: i1, %out: i1):
      %110 = arith.andi %in, %in_42 : i1
      linalg.yield %110 : i1
    } -> tensor<150x150xi1>
    %37 = tensor.empty() : tensor<150x150xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map9, #map9, #map4], iterator_types = ["parallel", "parallel"]} ins(%36, %cst_3, %cst_4 : tensor<150x150xi1>, tensor<f32>, tensor<f32>) outs(%37 : tensor<150x150xf32>) {
    ^bb0(%in: i1, %in_42: f32, %in_43: f32, %out: f32):
      %110 = arith.select %in, %in_42, %in_43 : f32
      linalg.yield %110 : f32
    } -> tensor<150x150xf32>
    %39 = tensor.empty() : tensor<1x2x8x150xf32>
    %transposed_24 = linalg.transpose ins(%expanded_19 : tensor<1x150x2x8xf32>) outs(%39 : tensor<1x2x8x150xf32>) permutation = [0, 2, 3, 1] 
    %40 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_24 : tensor<1x2x8x150xf32>) outs(%39 : tensor<1x2x8x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_9 : f64 to f32
      %111 = arith.mulf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x2x8x150xf32>
    %collapsed_25 = tensor.collapse_shape %29 [[0, 1], [2], [3]] : tensor<1x2x150x8xf32> into tensor<2x150x8xf32>
    %collapsed_26 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<1x2x8x150xf32> into tensor<2x8x150xf32>
    %41 = tensor.empty() : tensor<2x150x150xf32>
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
    %43 = linalg.batch_matmul ins(%collapsed_25, %collapsed_26 : tensor<2x150x8xf32>, tensor<2x8x150xf32>) outs(%42 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
    %expanded_27 = tensor.expand_shape %43 [[0, 1], [2], [3]] output_shape [1, 2, 150, 150] : tensor<2x150x150xf32> into tensor<1x2x150x150xf32>
    %44 = tensor.empty() : tensor<1x2x150x150xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map10, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_27, %38 : tensor<1x2x150x150xf32>, tensor<150x150xf32>) outs(%44 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x150xf32>
    %46 = tensor.empty() : tensor<1x2x150xi64>
    %47 = linalg.fill ins(%c0_i64 : i64) outs(%46 : tensor<1x2x150xi64>) -> tensor<1x2x150xi64>
    %48 = tensor.empty() : tensor<1x2x150xf32>
    %49 = linalg.fill ins(%cst_1 : f32) outs(%48 : tensor<1x2x150xf32>) -> tensor<1x2x150xf32>
    %50:2 = linalg.generic {indexing_maps = [#map5, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%45 : tensor<1x2x150x150xf32>) outs(%49, %47 : tensor<1x2x150xf32>, tensor<1x2x150xi64>) {
    ^bb0(%in: f32, %out: f32, %out_42: i64):
      %110 = linalg.index 3 : index
      %111 = arith.index_cast %110 : index to i64
      %112 = arith.maximumf %in, %out : f32
      %113 = arith.cmpf ogt, %in, %out : f32
      %114 = arith.select %113, %111, %out_42 : i64
      linalg.yield %112, %114 : f32, i64
    } -> (tensor<1x2x150xf32>, tensor<1x2x150xi64>)
    %expanded_28 = tensor.expand_shape %50#0 [[0], [1], [2, 3]] output_shape [1, 2, 150, 1] : tensor<1x2x150xf32> into tensor<1x2x150x1xf32>
    %51 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %expanded_28 : tensor<1x2x150x150xf32>, tensor<1x2x150x1xf32>) outs(%44 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.subf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x150xf32>
    %52 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<1x2x150x150xf32>) outs(%44 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x150xf32>
    %53 = tensor.empty() : tensor<1x2x150x1xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<1x2x150x1xf32>) -> tensor<1x2x150x1xf32>
    %55 = linalg.generic {indexing_maps = [#map5, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<1x2x150x150xf32>) outs(%54 : tensor<1x2x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.addf %in, %out : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x1xf32>
    %56 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %55 : tensor<1x2x150x150xf32>, tensor<1x2x150x1xf32>) outs(%44 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.divf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x150xf32>
    %57 = tensor.empty() : tensor<1x2x150x150xi1>
    %58 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<1x2x150x150xf32>) outs(%57 : tensor<1x2x150x150xi1>) {
    ^bb0(%in: f32, %out: i1):
      %110 = arith.extf %in : f32 to f64
      %111 = arith.cmpf oeq, %110, %cst_8 : f64
      linalg.yield %111 : i1
    } -> tensor<1x2x150x150xi1>
    %59 = tensor.empty() : tensor<1x2x150x1xi1>
    %60 = linalg.fill ins(%true : i1) outs(%59 : tensor<1x2x150x1xi1>) -> tensor<1x2x150x1xi1>
    %61 = linalg.generic {indexing_maps = [#map5, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%58 : tensor<1x2x150x150xi1>) outs(%60 : tensor<1x2x150x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %110 = arith.andi %in, %out : i1
      linalg.yield %110 : i1
    } -> tensor<1x2x150x1xi1>
    %62 = linalg.generic {indexing_maps = [#map12, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %cst_2, %56 : tensor<1x2x150x1xi1>, tensor<1x2x150x150xf32>, tensor<1x2x150x150xf32>) outs(%44 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: i1, %in_42: f32, %in_43: f32, %out: f32):
      %110 = arith.select %in, %in_42, %in_43 : f32
      linalg.yield %110 : f32
    } -> tensor<1x2x150x150xf32>
    %collapsed_29 = tensor.collapse_shape %62 [[0, 1], [2], [3]] : tensor<1x2x150x150xf32> into tensor<2x150x150xf32>
    %collapsed_30 = tensor.collapse_shape %transposed_21 [[0, 1], [2], [3]] : tensor<1x2x150x8xf32> into tensor<2x150x8xf32>
    %63 = tensor.empty() : tensor<2x150x8xf32>
    %64 = linalg.fill ins(%cst_0 : f32) outs(%63 : tensor<2x150x8xf32>) -> tensor<2x150x8xf32>
    %65 = linalg.batch_matmul ins(%collapsed_29, %collapsed_30 : tensor<2x150x150xf32>, tensor<2x150x8xf32>) outs(%64 : tensor<2x150x8xf32>) -> tensor<2x150x8xf32>
    %expanded_31 = tensor.expand_shape %65 [[0, 1], [2], [3]] output_shape [1, 2, 150, 8] : tensor<2x150x8xf32> into tensor<1x2x150x8xf32>
    %66 = tensor.empty() : tensor<1x150x2x8xf32>
    %transposed_32 = linalg.transpose ins(%expanded_31 : tensor<1x2x150x8xf32>) outs(%66 : tensor<1x150x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_33 = tensor.collapse_shape %transposed_32 [[0, 1], [2, 3]] : tensor<1x150x2x8xf32> into tensor<150x16xf32>
    %67 = tensor.empty() : tensor<16x16xf32>
    %transposed_34 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%67 : tensor<16x16xf32>) permutation = [1, 0] 
    %68 = tensor.empty() : tensor<150x16xf32>
    %69 = linalg.fill ins(%cst_0 : f32) outs(%68 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %70 = linalg.matmul ins(%collapsed_33, %transposed_34 : tensor<150x16xf32>, tensor<16x16xf32>) outs(%69 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<16xf32>) outs(%68 : tensor<150x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<150x16xf32>
    %72 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%70, %71 : tensor<150x16xf32>, tensor<150x16xf32>) outs(%68 : tensor<150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<150x16xf32>
    %expanded_35 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [1, 150, 16] : tensor<150x16xf32> into tensor<1x150x16xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_35 : tensor<1x150x16xf32>, tensor<1x150x16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<1x150x16xf32>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %110 = arith.extf %in : f32 to f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %75 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%74 : tensor<1x150x16xf64>) outs(%3 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.addf %in, %out : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %76 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<1x150x1xf64>) outs(%2 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.divf %in, %cst_11 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %77 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %76 : tensor<1x150x16xf64>, tensor<1x150x1xf64>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f64, %in_42: f64, %out: f64):
      %110 = arith.subf %in, %in_42 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %78 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %77 : tensor<1x150x16xf64>, tensor<1x150x16xf64>) outs(%0 : tensor<1x150x16xf64>) {
    ^bb0(%in: f64, %in_42: f64, %out: f64):
      %110 = arith.mulf %in, %in_42 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x16xf64>
    %79 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%78 : tensor<1x150x16xf64>) outs(%3 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.addf %in, %out : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %80 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<1x150x1xf64>) outs(%2 : tensor<1x150x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %110 = arith.divf %in, %cst_11 : f64
      linalg.yield %110 : f64
    } -> tensor<1x150x1xf64>
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<1x150x1xf64>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %110 = arith.truncf %in : f64 to f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%73 : tensor<1x150x16xf32>) outs(%12 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.addf %in, %out : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.divf %in, %cst_12 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_10 : f64 to f32
      %111 = arith.addf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x150x1xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<1x150x1xf32>) outs(%10 : tensor<1x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.rsqrt %in : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x1xf32>
    %86 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %83 : tensor<1x150x16xf32>, tensor<1x150x1xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.subf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %87 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %85 : tensor<1x150x16xf32>, tensor<1x150x1xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.mulf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %arg11 : tensor<1x150x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.mulf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %89 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %arg12 : tensor<1x150x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    %collapsed_36 = tensor.collapse_shape %89 [[0, 1], [2]] : tensor<1x150x16xf32> into tensor<150x16xf32>
    %90 = tensor.empty() : tensor<16x32xf32>
    %transposed_37 = linalg.transpose ins(%arg5 : tensor<32x16xf32>) outs(%90 : tensor<16x32xf32>) permutation = [1, 0] 
    %91 = tensor.empty() : tensor<150x32xf32>
    %92 = linalg.fill ins(%cst_0 : f32) outs(%91 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %93 = linalg.matmul ins(%collapsed_36, %transposed_37 : tensor<150x16xf32>, tensor<16x32xf32>) outs(%92 : tensor<150x32xf32>) -> tensor<150x32xf32>
    %94 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<32xf32>) outs(%91 : tensor<150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<150x32xf32>
    %95 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%93, %94 : tensor<150x32xf32>, tensor<150x32xf32>) outs(%91 : tensor<150x32xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<150x32xf32>
    %expanded_38 = tensor.expand_shape %95 [[0, 1], [2]] output_shape [1, 150, 32] : tensor<150x32xf32> into tensor<1x150x32xf32>
    %96 = tensor.empty() : tensor<1x150x32xf32>
    %97 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.mulf %in, %cst_13 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %98 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.fpowi %in, %c3_i64 : f32, i64
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %99 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_7 : f64 to f32
      %111 = arith.mulf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x150x32xf32>
    %100 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38, %99 : tensor<1x150x32xf32>, tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %101 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.truncf %cst_6 : f64 to f32
      %111 = arith.mulf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<1x150x32xf32>
    %102 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %103 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.addf %in, %cst_14 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %104 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %103 : tensor<1x150x32xf32>, tensor<1x150x32xf32>) outs(%96 : tensor<1x150x32xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.mulf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x32xf32>
    %collapsed_39 = tensor.collapse_shape %104 [[0, 1], [2]] : tensor<1x150x32xf32> into tensor<150x32xf32>
    %105 = tensor.empty() : tensor<32x16xf32>
    %transposed_40 = linalg.transpose ins(%arg7 : tensor<16x32xf32>) outs(%105 : tensor<32x16xf32>) permutation = [1, 0] 
    %106 = linalg.matmul ins(%collapsed_39, %transposed_40 : tensor<150x32xf32>, tensor<32x16xf32>) outs(%69 : tensor<150x16xf32>) -> tensor<150x16xf32>
    %107 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<16xf32>) outs(%68 : tensor<150x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<150x16xf32>
    %108 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%106, %107 : tensor<150x16xf32>, tensor<150x16xf32>) outs(%68 : tensor<150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<150x16xf32>
    %expanded_41 = tensor.expand_shape %108 [[0, 1], [2]] output_shape [1, 150, 16] : tensor<150x16xf32> into tensor<1x150x16xf32>
    %109 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %expanded_41 : tensor<1x150x16xf32>, tensor<1x150x16xf32>) outs(%17 : tensor<1x150x16xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %110 = arith.addf %in, %in_42 : f32
      linalg.yield %110 : f32
    } -> tensor<1x150x16xf32>
    return %109 : tensor<1x150x16xf32>
  }
}
