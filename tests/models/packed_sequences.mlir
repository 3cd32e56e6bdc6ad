// {"shapes": [[1, 2, 70, 8], [1, 2, 70, 8], [1, 2, 70, 8], [70]], "spreads": [2.0, 2.0, 1.0, 1.0], "error": 2.27e-07}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @packed_sequences(%arg0: tensor<1x2x70x8xf32>, %arg1: tensor<1x2x70x8xf32>, %arg2: tensor<1x2x70x8xf32>, %arg3: tensor<70xi1>) -> tensor<1x2x70x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x2x70x70xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0.59460355750136051 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<70xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<70xi1>) outs(%0 : tensor<70xi64>) {
    ^bb0(%in: i1, %out: i64):
      %42 = arith.extui %in : i1 to i64
      linalg.yield %42 : i64
    } -> tensor<70xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<70xi64>) -> tensor<70xi64>
    %3 = tensor.empty() : tensor<i64>
    %4 = linalg.fill ins(%c0_i64 : i64) outs(%3 : tensor<i64>) -> tensor<i64>
    %5:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%1 : tensor<70xi64>) outs(%2, %4 : tensor<70xi64>, tensor<i64>) {
    ^bb0(%arg4: i64, %arg5: i64):
      %42 = arith.addi %arg4, %arg5 : i64
      tm_tensor.yield %42 : i64
    } -> tensor<70xi64>, tensor<i64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<70xi64>) {
    ^bb0(%out: i64):
      %42 = linalg.index 0 : index
      %43 = arith.index_cast %42 : index to i64
      linalg.yield %43 : i64
    } -> tensor<70xi64>
    %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [70, 1] : tensor<70xi64> into tensor<70x1xi64>
    %expanded_6 = tensor.expand_shape %5#0 [[0, 1]] output_shape [1, 70] : tensor<70xi64> into tensor<1x70xi64>
    %7 = tensor.empty() : tensor<70x70xi1>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<70x1xi64>, tensor<1x70xi64>) outs(%7 : tensor<70x70xi1>) {
    ^bb0(%in: i64, %in_15: i64, %out: i1):
      %42 = arith.cmpi eq, %in, %in_15 : i64
      linalg.yield %42 : i1
    } -> tensor<70x70xi1>
    %expanded_7 = tensor.expand_shape %6 [[0, 1]] output_shape [1, 70] : tensor<70xi64> into tensor<1x70xi64>
    %expanded_8 = tensor.expand_shape %6 [[0, 1]] output_shape [70, 1] : tensor<70xi64> into tensor<70x1xi64>
    %9 = linalg.generic {indexing_maps = [#map2, #map1, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_7, %expanded_8 : tensor<1x70xi64>, tensor<70x1xi64>) outs(%7 : tensor<70x70xi1>) {
    ^bb0(%in: i64, %in_15: i64, %out: i1):
      %42 = arith.cmpi sle, %in, %in_15 : i64
      linalg.yield %42 : i1
    } -> tensor<70x70xi1>
    %10 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<70x70xi1>, tensor<70x70xi1>) outs(%7 : tensor<70x70xi1>) {
    ^bb0(%in: i1, %in_15: i1, %out: i1):
      %42 = arith.andi %in, %in_15 : i1
      linalg.yield %42 : i1
    } -> tensor<70x70xi1>
    %11 = tensor.empty() : tensor<70x70xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%10, %cst_2, %cst_3 : tensor<70x70xi1>, tensor<f32>, tensor<f32>) outs(%11 : tensor<70x70xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %42 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %42 : f32
    } -> tensor<70x70xf32>
    %13 = tensor.empty() : tensor<1x2x70x8xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x2x70x8xf32>) outs(%13 : tensor<1x2x70x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.truncf %cst_4 : f64 to f32
      %43 = arith.mulf %in, %42 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x70x8xf32>
    %15 = tensor.empty() : tensor<1x2x8x70xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<1x2x70x8xf32>) outs(%15 : tensor<1x2x8x70xf32>) permutation = [0, 1, 3, 2] 
    %16 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x2x8x70xf32>) outs(%15 : tensor<1x2x8x70xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.truncf %cst_4 : f64 to f32
      %43 = arith.mulf %in, %42 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x8x70xf32>
    %collapsed = tensor.collapse_shape %14 [[0, 1], [2], [3]] : tensor<1x2x70x8xf32> into tensor<2x70x8xf32>
    %collapsed_9 = tensor.collapse_shape %16 [[0, 1], [2], [3]] : tensor<1x2x8x70xf32> into tensor<2x8x70xf32>
    %17 = tensor.empty() : tensor<2x70x70xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<2x70x70xf32>) -> tensor<2x70x70xf32>
    %19 = linalg.batch_matmul ins(%collapsed, %collapsed_9 : tensor<2x70x8xf32>, tensor<2x8x70xf32>) outs(%18 : tensor<2x70x70xf32>) -> tensor<2x70x70xf32>
    %expanded_10 = tensor.expand_shape %19 [[0, 1], [2], [3]] output_shape [1, 2, 70, 70] : tensor<2x70x70xf32> into tensor<1x2x70x70xf32>
    %20 = tensor.empty() : tensor<1x2x70x70xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10, %12 : tensor<1x2x70x70xf32>, tensor<70x70xf32>) outs(%20 : tensor<1x2x70x70xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.addf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x70xf32>
    %22 = tensor.empty() : tensor<1x2x70xi64>
    %23 = linalg.fill ins(%c0_i64 : i64) outs(%22 : tensor<1x2x70xi64>) -> tensor<1x2x70xi64>
    %24 = tensor.empty() : tensor<1x2x70xf32>
    %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<1x2x70xf32>) -> tensor<1x2x70xf32>
    %26:2 = linalg.generic {indexing_maps = [#map5, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<1x2x70x70xf32>) outs(%25, %23 : tensor<1x2x70xf32>, tensor<1x2x70xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %42 = linalg.index 3 : index
      %43 = arith.index_cast %42 : index to i64
      %44 = arith.maximumf %in, %out : f32
      %45 = arith.cmpf ogt, %in, %out : f32
      %46 = arith.select %45, %43, %out_15 : i64
      linalg.yield %44, %46 : f32, i64
    } -> (tensor<1x2x70xf32>, tensor<1x2x70xi64>)
    %expanded_11 = tensor.expand_shape %26#0 [[0], [1], [2, 3]] output_shape [1, 2, 70, 1] : tensor<1x2x70xf32> into tensor<1x2x70x1xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_11 : tensor<1x2x70x70xf32>, tensor<1x2x70x1xf32>) outs(%20 : tensor<1x2x70x70xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.subf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x70xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<1x2x70x70xf32>) outs(%20 : tensor<1x2x70x70xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = math.exp %in : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x70xf32>
    %29 = tensor.empty() : tensor<1x2x70x1xf32>
    %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<1x2x70x1xf32>) -> tensor<1x2x70x1xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<1x2x70x70xf32>) outs(%30 : tensor<1x2x70x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x1xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %31 : tensor<1x2x70x70xf32>, tensor<1x2x70x1xf32>) outs(%20 : tensor<1x2x70x70xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.divf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x70xf32>
    %33 = tensor.empty() : tensor<1x2x70x70xi1>
    %34 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<1x2x70x70xf32>) outs(%33 : tensor<1x2x70x70xi1>) {
    ^bb0(%in: f32, %out: i1):
      %42 = arith.extf %in : f32 to f64
      %43 = arith.cmpf oeq, %42, %cst_5 : f64
      linalg.yield %43 : i1
    } -> tensor<1x2x70x70xi1>
    %35 = tensor.empty() : tensor<1x2x70x1xi1>
    %36 = linalg.fill ins(%true : i1) outs(%35 : tensor<1x2x70x1xi1>) -> tensor<1x2x70x1xi1>
    %37 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%34 : tensor<1x2x70x70xi1>) outs(%36 : tensor<1x2x70x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %42 = arith.andi %in, %out : i1
      linalg.yield %42 : i1
    } -> tensor<1x2x70x1xi1>
    %38 = linalg.generic {indexing_maps = [#map8, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %cst_1, %32 : tensor<1x2x70x1xi1>, tensor<1x2x70x70xf32>, tensor<1x2x70x70xf32>) outs(%20 : tensor<1x2x70x70xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %42 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %42 : f32
    } -> tensor<1x2x70x70xf32>
    %collapsed_12 = tensor.collapse_shape %38 [[0, 1], [2], [3]] : tensor<1x2x70x70xf32> into tensor<2x70x70xf32>
    %collapsed_13 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<1x2x70x8xf32> into tensor<2x70x8xf32>
    %39 = tensor.empty() : tensor<2x70x8xf32>
    %40 = linalg.fill ins(%cst : f32) outs(%39 : tensor<2x70x8xf32>) -> tensor<2x70x8xf32>
    %41 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<2x70x70xf32>, tensor<2x70x8xf32>) outs(%40 : tensor<2x70x8xf32>) -> tensor<2x70x8xf32>
    %expanded_14 = tensor.expand_shape %41 [[0, 1], [2], [3]] output_shape [1, 2, 70, 8] : tensor<2x70x8xf32> into tensor<1x2x70x8xf32>
    return %expanded_14 : tensor<1x2x70x8xf32>
  }
}
