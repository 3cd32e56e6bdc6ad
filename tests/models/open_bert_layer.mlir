// {"shapes": [[2, 40, 16], [2, 1, 1, 40], [16, 16], [16], [16, 16], [16], [16, 16], [16], [16, 16], [16], [32, 16], [32], [16, 32], [16], [16], [16], [16], [16]], "spreads": [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.17677669529663687, 0.5, 0.5, 0.5, 0.5, 0.5], "error": 5.76e-07}
#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d2)>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @open_bert_layer(%arg0: tensor<2x?x16xf32>, %arg1: tensor<2x1x1x?xi1>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16x16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<32x16xf32>, %arg11: tensor<32xf32>, %arg12: tensor<16x32xf32>, %arg13: tensor<16xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>) -> tensor<2x?x16xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_6 = arith.constant 1.000000e-05 : f64
    %cst_7 = arith.constant 0.59460355750136051 : f64
    %cst_8 = arith.constant 0xFFF0000000000000 : f64
    %cst_9 = arith.constant 1.600000e+01 : f64
    %cst_10 = arith.constant 1.600000e+01 : f32
    %cst_11 = arith.constant 1.41421354 : f32
    %dim = tensor.dim %arg1, %c3 : tensor<2x1x1x?xi1>
    %0 = arith.index_cast %dim : index to i64
    %1 = arith.muli %0, %c2_i64 : i64
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x?x16xf32> into tensor<?x16xf32>
    %2 = tensor.empty() : tensor<16x16xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) permutation = [1, 0] 
    %dim_12 = tensor.dim %arg0, %c1 : tensor<2x?x16xf32>
    %3 = affine.apply #map()[%dim_12]
    %4 = tensor.empty(%3) : tensor<?x16xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %6 = linalg.matmul ins(%collapsed, %transposed : tensor<?x16xf32>, tensor<16x16xf32>) outs(%5 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %7 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %7, "negative values not allowed in new dimensions"
    %8 = arith.index_cast %1 : i64 to index
    %9 = tensor.empty(%8) : tensor<?x16xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<16xf32>) outs(%9 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x16xf32>
    %11 = arith.cmpi eq, %3, %8 : index
    cf.assert %11, "mismatched size for broadcast"
    %12 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6, %10 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%4 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<?x16xf32>
    %13 = arith.divsi %3, %c2 : index
    %expanded = tensor.expand_shape %12 [[0, 1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<?x16xf32> into tensor<2x?x2x8xf32>
    %14 = tensor.empty(%13) : tensor<2x2x?x8xf32>
    %transposed_13 = linalg.transpose ins(%expanded : tensor<2x?x2x8xf32>) outs(%14 : tensor<2x2x?x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_14 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) permutation = [1, 0] 
    %15 = linalg.matmul ins(%collapsed, %transposed_14 : tensor<?x16xf32>, tensor<16x16xf32>) outs(%5 : tensor<?x16xf32>) -> tensor<?x16xf32>
    cf.assert %7, "negative values not allowed in new dimensions"
    %16 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<16xf32>) outs(%9 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x16xf32>
    cf.assert %11, "mismatched size for broadcast"
    %17 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%4 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<?x16xf32>
    %expanded_15 = tensor.expand_shape %17 [[0, 1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<?x16xf32> into tensor<2x?x2x8xf32>
    %transposed_16 = linalg.transpose ins(%arg6 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) permutation = [1, 0] 
    %18 = linalg.matmul ins(%collapsed, %transposed_16 : tensor<?x16xf32>, tensor<16x16xf32>) outs(%5 : tensor<?x16xf32>) -> tensor<?x16xf32>
    cf.assert %7, "negative values not allowed in new dimensions"
    %19 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<16xf32>) outs(%9 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x16xf32>
    cf.assert %11, "mismatched size for broadcast"
    %20 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%18, %19 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%4 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<?x16xf32>
    %expanded_17 = tensor.expand_shape %20 [[0, 1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<?x16xf32> into tensor<2x?x2x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<2x?x2x8xf32>) outs(%14 : tensor<2x2x?x8xf32>) permutation = [0, 2, 1, 3] 
    %21 = tensor.empty(%dim) : tensor<2x1x1x?xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map4, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %cst_4, %cst_5 : tensor<2x1x1x?xi1>, tensor<f32>, tensor<f32>) outs(%21 : tensor<2x1x1x?xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %149 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %149 : f32
    } -> tensor<2x1x1x?xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_13 : tensor<2x2x?x8xf32>) outs(%14 : tensor<2x2x?x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.truncf %cst_7 : f64 to f32
      %150 = arith.mulf %in, %149 : f32
      linalg.yield %150 : f32
    } -> tensor<2x2x?x8xf32>
    %24 = tensor.empty(%13) : tensor<2x2x8x?xf32>
    %transposed_19 = linalg.transpose ins(%expanded_15 : tensor<2x?x2x8xf32>) outs(%24 : tensor<2x2x8x?xf32>) permutation = [0, 2, 3, 1] 
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_19 : tensor<2x2x8x?xf32>) outs(%24 : tensor<2x2x8x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.truncf %cst_7 : f64 to f32
      %150 = arith.mulf %in, %149 : f32
      linalg.yield %150 : f32
    } -> tensor<2x2x8x?xf32>
    %26 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    %27 = tensor.empty(%dim) : tensor<2x2x?x8xf32>
    %28 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%27 : tensor<2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %149 = linalg.index 0 : index
      %150 = linalg.index 1 : index
      %151 = linalg.index 2 : index
      %152 = linalg.index 3 : index
      %153 = arith.cmpi eq, %13, %c1 : index
      %154 = arith.select %153, %c0, %151 : index
      %extracted = tensor.extract %23[%149, %150, %154, %152] : tensor<2x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x8xf32>
    %collapsed_20 = tensor.collapse_shape %28 [[0, 1], [2], [3]] : tensor<2x2x?x8xf32> into tensor<4x?x8xf32>
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    %29 = tensor.empty(%dim) : tensor<2x2x8x?xf32>
    %30 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%29 : tensor<2x2x8x?xf32>) {
    ^bb0(%out: f32):
      %149 = linalg.index 0 : index
      %150 = linalg.index 1 : index
      %151 = linalg.index 2 : index
      %152 = linalg.index 3 : index
      %153 = arith.cmpi eq, %13, %c1 : index
      %154 = arith.select %153, %c0, %152 : index
      %extracted = tensor.extract %25[%149, %150, %151, %154] : tensor<2x2x8x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x8x?xf32>
    %collapsed_21 = tensor.collapse_shape %30 [[0, 1], [2], [3]] : tensor<2x2x8x?xf32> into tensor<4x8x?xf32>
    %31 = tensor.empty(%dim, %dim) : tensor<4x?x?xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    %33 = linalg.batch_matmul ins(%collapsed_20, %collapsed_21 : tensor<4x?x8xf32>, tensor<4x8x?xf32>) outs(%32 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    %34 = arith.muli %0, %c4_i64 : i64
    %35 = arith.cmpi slt, %0, %c0_i64 : i64
    %36 = arith.select %35, %c4_i64, %34 : i64
    %37 = arith.extui %35 : i1 to i64
    %38 = arith.muli %36, %0 : i64
    %39 = arith.addi %37, %c1_i64 : i64
    %40 = arith.select %35, %c4_i64, %38 : i64
    %41 = arith.select %35, %39, %37 : i64
    %42 = arith.cmpi sle, %41, %c1_i64 : i64
    cf.assert %42, "must have at most one inferred (negative) dimension"
    %43 = arith.muli %34, %0 : i64
    %44 = arith.divsi %43, %40 : i64
    %45 = arith.select %35, %44, %0 : i64
    %from_elements = tensor.from_elements %c2_i64, %c2_i64, %45, %45 : tensor<4xi64>
    %reshape = tensor.reshape %33(%from_elements) : (tensor<4x?x?xf32>, tensor<4xi64>) -> tensor<2x2x?x?xf32>
    %46 = arith.index_cast %45 : i64 to index
    %47 = arith.cmpi eq, %46, %dim : index
    cf.assert %47, "mismatched size for broadcast"
    %48 = tensor.empty(%46, %46) : tensor<2x2x?x?xf32>
    %49 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape, %22 : tensor<2x2x?x?xf32>, tensor<2x1x1x?xf32>) outs(%48 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x?xf32>
    %50 = tensor.empty(%46) : tensor<2x2x?xi64>
    %51 = linalg.fill ins(%c0_i64 : i64) outs(%50 : tensor<2x2x?xi64>) -> tensor<2x2x?xi64>
    %52 = tensor.empty(%46) : tensor<2x2x?xf32>
    %53 = linalg.fill ins(%cst_0 : f32) outs(%52 : tensor<2x2x?xf32>) -> tensor<2x2x?xf32>
    %54:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<2x2x?x?xf32>) outs(%53, %51 : tensor<2x2x?xf32>, tensor<2x2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_36: i64):
      %149 = linalg.index 3 : index
      %150 = arith.index_cast %149 : index to i64
      %151 = arith.maximumf %in, %out : f32
      %152 = arith.cmpf ogt, %in, %out : f32
      %153 = arith.select %152, %150, %out_36 : i64
      linalg.yield %151, %153 : f32, i64
    } -> (tensor<2x2x?xf32>, tensor<2x2x?xi64>)
    %expanded_22 = tensor.expand_shape %54#0 [[0], [1], [2, 3]] output_shape [2, 2, %46, 1] : tensor<2x2x?xf32> into tensor<2x2x?x1xf32>
    %55 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %expanded_22 : tensor<2x2x?x?xf32>, tensor<2x2x?x1xf32>) outs(%48 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.subf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x?xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<2x2x?x?xf32>) outs(%48 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = math.exp %in : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x?xf32>
    %57 = tensor.empty(%46) : tensor<2x2x?x1xf32>
    %58 = linalg.fill ins(%cst : f32) outs(%57 : tensor<2x2x?x1xf32>) -> tensor<2x2x?x1xf32>
    %59 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%56 : tensor<2x2x?x?xf32>) outs(%58 : tensor<2x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.addf %in, %out : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x1xf32>
    %60 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %59 : tensor<2x2x?x?xf32>, tensor<2x2x?x1xf32>) outs(%48 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.divf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x?xf32>
    %61 = tensor.empty(%46, %46) : tensor<2x2x?x?xi1>
    %62 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<2x2x?x?xf32>) outs(%61 : tensor<2x2x?x?xi1>) {
    ^bb0(%in: f32, %out: i1):
      %149 = arith.extf %in : f32 to f64
      %150 = arith.cmpf oeq, %149, %cst_8 : f64
      linalg.yield %150 : i1
    } -> tensor<2x2x?x?xi1>
    %63 = tensor.empty(%46) : tensor<2x2x?x1xi1>
    %64 = linalg.fill ins(%true : i1) outs(%63 : tensor<2x2x?x1xi1>) -> tensor<2x2x?x1xi1>
    %65 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%62 : tensor<2x2x?x?xi1>) outs(%64 : tensor<2x2x?x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %149 = arith.andi %in, %out : i1
      linalg.yield %149 : i1
    } -> tensor<2x2x?x1xi1>
    %66 = arith.cmpi sge, %45, %c0_i64 : i64
    cf.assert %66, "negative values not allowed in new dimensions"
    %67 = arith.index_cast %45 : i64 to index
    cf.assert %66, "negative values not allowed in new dimensions"
    %68 = tensor.empty(%67, %67) : tensor<2x2x?x?xf32>
    %69 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%68 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x?x?xf32>
    %70 = arith.cmpi eq, %46, %67 : index
    cf.assert %70, "mismatched size for broadcast"
    %71 = arith.cmpi eq, %67, %46 : index
    cf.assert %71, "mismatched size for broadcast"
    %72 = tensor.empty(%46, %67) : tensor<2x2x?x?xf32>
    %73 = linalg.generic {indexing_maps = [#map7, #map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %69, %60 : tensor<2x2x?x1xi1>, tensor<2x2x?x?xf32>, tensor<2x2x?x?xf32>) outs(%72 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %149 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %149 : f32
    } -> tensor<2x2x?x?xf32>
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    %74 = tensor.empty(%dim, %dim) : tensor<2x2x?x?xf32>
    %75 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%74 : tensor<2x2x?x?xf32>) {
    ^bb0(%out: f32):
      %149 = linalg.index 0 : index
      %150 = linalg.index 1 : index
      %151 = linalg.index 2 : index
      %152 = linalg.index 3 : index
      %153 = arith.cmpi eq, %46, %c1 : index
      %154 = arith.select %153, %c0, %151 : index
      %155 = arith.cmpi eq, %67, %c1 : index
      %156 = arith.select %155, %c0, %152 : index
      %extracted = tensor.extract %73[%149, %150, %154, %156] : tensor<2x2x?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x?xf32>
    cf.assert %42, "must have at most one inferred (negative) dimension"
    %from_elements_23 = tensor.from_elements %c4_i64, %45, %45 : tensor<3xi64>
    %reshape_24 = tensor.reshape %75(%from_elements_23) : (tensor<2x2x?x?xf32>, tensor<3xi64>) -> tensor<4x?x?xf32>
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    %76 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%27 : tensor<2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %149 = linalg.index 0 : index
      %150 = linalg.index 1 : index
      %151 = linalg.index 2 : index
      %152 = linalg.index 3 : index
      %153 = arith.cmpi eq, %13, %c1 : index
      %154 = arith.select %153, %c0, %151 : index
      %extracted = tensor.extract %transposed_18[%149, %150, %154, %152] : tensor<2x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x8xf32>
    %collapsed_25 = tensor.collapse_shape %76 [[0, 1], [2], [3]] : tensor<2x2x?x8xf32> into tensor<4x?x8xf32>
    %77 = arith.cmpi eq, %45, %0 : i64
    cf.assert %77, "mismatching contracting dimension"
    %78 = tensor.empty(%46) : tensor<4x?x8xf32>
    %79 = linalg.fill ins(%cst : f32) outs(%78 : tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
    %80 = linalg.batch_matmul ins(%reshape_24, %collapsed_25 : tensor<4x?x?xf32>, tensor<4x?x8xf32>) outs(%79 : tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
    %expanded_26 = tensor.expand_shape %80 [[0, 1], [2], [3]] output_shape [2, 2, %46, 8] : tensor<4x?x8xf32> into tensor<2x2x?x8xf32>
    %81 = tensor.empty(%46) : tensor<2x?x2x8xf32>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<2x2x?x8xf32>) outs(%81 : tensor<2x?x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_28 = tensor.collapse_shape %transposed_27 [[0], [1], [2, 3]] : tensor<2x?x2x8xf32> into tensor<2x?x16xf32>
    %transposed_29 = linalg.transpose ins(%arg8 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) permutation = [1, 0] 
    cf.assert %26, "unimplemented: dynamic negative broadcast sizes"
    %82 = tensor.empty(%dim) : tensor<2x?x16xf32>
    %83 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel", "parallel"]} outs(%82 : tensor<2x?x16xf32>) {
    ^bb0(%out: f32):
      %149 = linalg.index 0 : index
      %150 = linalg.index 1 : index
      %151 = linalg.index 2 : index
      %152 = arith.cmpi eq, %46, %c1 : index
      %153 = arith.select %152, %c0, %150 : index
      %extracted = tensor.extract %collapsed_28[%149, %153, %151] : tensor<2x?x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x?x16xf32>
    %84 = tensor.empty() : tensor<2x16x16xf32>
    %85 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_29 : tensor<16x16xf32>) outs(%84 : tensor<2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x16xf32>
    %86 = linalg.fill ins(%cst : f32) outs(%82 : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
    %87 = linalg.batch_matmul ins(%83, %85 : tensor<2x?x16xf32>, tensor<2x16x16xf32>) outs(%86 : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
    %88 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %arg9 : tensor<2x?x16xf32>, tensor<16xf32>) outs(%82 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %89 = arith.cmpi eq, %dim_12, %dim : index
    cf.assert %89, "mismatched size for broadcast"
    %90 = tensor.empty(%dim_12) : tensor<2x?x16xf32>
    %91 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %88 : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %92 = tensor.empty(%dim_12) : tensor<2x?x16xf64>
    %93 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x?x16xf32>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %149 = arith.extf %in : f32 to f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %94 = tensor.empty(%dim_12) : tensor<2x?x1xf64>
    %95 = linalg.fill ins(%cst_1 : f64) outs(%94 : tensor<2x?x1xf64>) -> tensor<2x?x1xf64>
    %96 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%93 : tensor<2x?x16xf64>) outs(%95 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.addf %in, %out : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %97 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<2x?x1xf64>) outs(%94 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.divf %in, %cst_9 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %98 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93, %97 : tensor<2x?x16xf64>, tensor<2x?x1xf64>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %149 = arith.subf %in, %in_36 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %99 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %98 : tensor<2x?x16xf64>, tensor<2x?x16xf64>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %149 = arith.mulf %in, %in_36 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %100 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%99 : tensor<2x?x16xf64>) outs(%95 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.addf %in, %out : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %101 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<2x?x1xf64>) outs(%94 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.divf %in, %cst_9 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %102 = tensor.empty(%dim_12) : tensor<2x?x1xf32>
    %103 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<2x?x1xf64>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %149 = arith.truncf %in : f64 to f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %104 = linalg.fill ins(%cst : f32) outs(%102 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %105 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%91 : tensor<2x?x16xf32>) outs(%104 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.addf %in, %out : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %106 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.divf %in, %cst_10 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %107 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.truncf %cst_6 : f64 to f32
      %150 = arith.addf %in, %149 : f32
      linalg.yield %150 : f32
    } -> tensor<2x?x1xf32>
    %108 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = math.rsqrt %in : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %109 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91, %106 : tensor<2x?x16xf32>, tensor<2x?x1xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.subf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %110 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %108 : tensor<2x?x16xf32>, tensor<2x?x1xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.mulf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %111 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %arg14 : tensor<2x?x16xf32>, tensor<16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.mulf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %112 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111, %arg15 : tensor<2x?x16xf32>, tensor<16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %collapsed_30 = tensor.collapse_shape %112 [[0, 1], [2]] : tensor<2x?x16xf32> into tensor<?x16xf32>
    %113 = tensor.empty() : tensor<16x32xf32>
    %transposed_31 = linalg.transpose ins(%arg10 : tensor<32x16xf32>) outs(%113 : tensor<16x32xf32>) permutation = [1, 0] 
    %114 = tensor.empty(%3) : tensor<?x32xf32>
    %115 = linalg.fill ins(%cst : f32) outs(%114 : tensor<?x32xf32>) -> tensor<?x32xf32>
    %116 = linalg.matmul ins(%collapsed_30, %transposed_31 : tensor<?x16xf32>, tensor<16x32xf32>) outs(%115 : tensor<?x32xf32>) -> tensor<?x32xf32>
    cf.assert %7, "negative values not allowed in new dimensions"
    %117 = tensor.empty(%8) : tensor<?x32xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<32xf32>) outs(%117 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32xf32>
    cf.assert %11, "mismatched size for broadcast"
    %119 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%116, %118 : tensor<?x32xf32>, tensor<?x32xf32>) outs(%114 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<?x32xf32>
    %expanded_32 = tensor.expand_shape %119 [[0, 1], [2]] output_shape [2, %13, 32] : tensor<?x32xf32> into tensor<2x?x32xf32>
    %120 = tensor.empty(%13) : tensor<2x?x32xf32>
    %121 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x?x32xf32>) outs(%120 : tensor<2x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.divf %in, %cst_11 : f32
      %150 = math.erf %149 : f32
      %151 = arith.addf %150, %cst_2 : f32
      %152 = arith.mulf %151, %cst_3 : f32
      %153 = arith.mulf %in, %152 : f32
      linalg.yield %153 : f32
    } -> tensor<2x?x32xf32>
    %collapsed_33 = tensor.collapse_shape %121 [[0, 1], [2]] : tensor<2x?x32xf32> into tensor<?x32xf32>
    %122 = tensor.empty() : tensor<32x16xf32>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<16x32xf32>) outs(%122 : tensor<32x16xf32>) permutation = [1, 0] 
    %123 = affine.apply #map()[%13]
    %124 = tensor.empty(%123) : tensor<?x16xf32>
    %125 = linalg.fill ins(%cst : f32) outs(%124 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %126 = linalg.matmul ins(%collapsed_33, %transposed_34 : tensor<?x32xf32>, tensor<32x16xf32>) outs(%125 : tensor<?x16xf32>) -> tensor<?x16xf32>
    cf.assert %7, "negative values not allowed in new dimensions"
    %127 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<16xf32>) outs(%9 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x16xf32>
    %128 = arith.cmpi eq, %123, %8 : index
    cf.assert %128, "mismatched size for broadcast"
    %129 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%126, %127 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%124 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<?x16xf32>
    %130 = arith.divsi %123, %c2 : index
    %expanded_35 = tensor.expand_shape %129 [[0, 1], [2]] output_shape [2, %130, 16] : tensor<?x16xf32> into tensor<2x?x16xf32>
    %131 = arith.cmpi eq, %dim_12, %130 : index
    cf.assert %131, "mismatched size for broadcast"
    %132 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112, %expanded_35 : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %133 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<2x?x16xf32>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %149 = arith.extf %in : f32 to f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %134 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%133 : tensor<2x?x16xf64>) outs(%95 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.addf %in, %out : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %135 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<2x?x1xf64>) outs(%94 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.divf %in, %cst_9 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %136 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133, %135 : tensor<2x?x16xf64>, tensor<2x?x1xf64>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %149 = arith.subf %in, %in_36 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %137 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %136 : tensor<2x?x16xf64>, tensor<2x?x16xf64>) outs(%92 : tensor<2x?x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %149 = arith.mulf %in, %in_36 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x16xf64>
    %138 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%137 : tensor<2x?x16xf64>) outs(%95 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.addf %in, %out : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %139 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<2x?x1xf64>) outs(%94 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %149 = arith.divf %in, %cst_9 : f64
      linalg.yield %149 : f64
    } -> tensor<2x?x1xf64>
    %140 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139 : tensor<2x?x1xf64>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %149 = arith.truncf %in : f64 to f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %141 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%132 : tensor<2x?x16xf32>) outs(%104 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.addf %in, %out : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %142 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.divf %in, %cst_10 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %143 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = arith.truncf %cst_6 : f64 to f32
      %150 = arith.addf %in, %149 : f32
      linalg.yield %150 : f32
    } -> tensor<2x?x1xf32>
    %144 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143 : tensor<2x?x1xf32>) outs(%102 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %149 = math.rsqrt %in : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x1xf32>
    %145 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132, %142 : tensor<2x?x16xf32>, tensor<2x?x1xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.subf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %146 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145, %144 : tensor<2x?x16xf32>, tensor<2x?x1xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.mulf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %147 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146, %arg16 : tensor<2x?x16xf32>, tensor<16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.mulf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    %148 = linalg.generic {indexing_maps = [#map8, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %arg17 : tensor<2x?x16xf32>, tensor<16xf32>) outs(%90 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %149 = arith.addf %in, %in_36 : f32
      linalg.yield %149 : f32
    } -> tensor<2x?x16xf32>
    return %148 : tensor<2x?x16xf32>
  }
}
