// {"shapes": [[2, 2, 60, 8], [2, 2, 60, 8], [2, 2, 60, 8], [2]], "spreads": [2.0, 2.0, 2.0, 0.5], "error": 1.17e-06}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<()[s0] -> (s0 + 1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @open_sink_column(%arg0: tensor<?x2x?x8xf32>, %arg1: tensor<?x2x?x8xf32>, %arg2: tensor<?x2x?x8xf32>, %arg3: tensor<2xf32>) -> tensor<?x2x?x8xf32> {
    %c20_i64 = arith.constant 20 : i64
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8_i64 = arith.constant 8 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c-1 = arith.constant -1 : index
    %cst_1 = arith.constant dense<-3.40282347E+38> : tensor<f32>
    %cst_2 = arith.constant 2.8284271247461903 : f64
    %c16_i64 = arith.constant 16 : i64
    %c3 = arith.constant 3 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x2x?x8xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_3 = tensor.dim %arg0, %c2 : tensor<?x2x?x8xf32>
    %1 = arith.index_cast %dim_3 : index to i64
    %2 = tensor.empty(%dim_3) : tensor<?xi64>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %127 = linalg.index 0 : index
      %128 = arith.index_cast %127 : index to i64
      linalg.yield %128 : i64
    } -> tensor<?xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [%dim_3, 1] : tensor<?xi64> into tensor<?x1xi64>
    %expanded_4 = tensor.expand_shape %3 [[0, 1]] output_shape [1, %dim_3] : tensor<?xi64> into tensor<1x?xi64>
    %4 = tensor.empty(%dim_3, %dim_3) : tensor<?x?xi64>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_4 : tensor<?x1xi64>, tensor<1x?xi64>) outs(%4 : tensor<?x?xi64>) {
    ^bb0(%in: i64, %in_22: i64, %out: i64):
      %127 = arith.subi %in, %in_22 : i64
      linalg.yield %127 : i64
    } -> tensor<?x?xi64>
    %dim_5 = tensor.dim %arg1, %c0 : tensor<?x2x?x8xf32>
    %dim_6 = tensor.dim %arg1, %c2 : tensor<?x2x?x8xf32>
    %6 = tensor.empty(%dim_5, %dim_6) : tensor<?x2x8x?xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<?x2x?x8xf32>) outs(%6 : tensor<?x2x8x?xf32>) permutation = [0, 1, 3, 2] 
    %7 = arith.muli %0, %c2_i64 : i64
    %8 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %8, "unimplemented: dynamic negative broadcast sizes"
    %9 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %9, "unimplemented: dynamic negative broadcast sizes"
    %10 = tensor.empty(%dim, %dim_3) : tensor<?x2x?x8xf32>
    %11 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%10 : tensor<?x2x?x8xf32>) {
    ^bb0(%out: f32):
      %127 = linalg.index 0 : index
      %128 = linalg.index 1 : index
      %129 = linalg.index 2 : index
      %130 = linalg.index 3 : index
      %131 = arith.cmpi eq, %dim, %c1 : index
      %132 = arith.select %131, %c0, %127 : index
      %133 = arith.cmpi eq, %dim_3, %c1 : index
      %134 = arith.select %133, %c0, %129 : index
      %extracted = tensor.extract %arg0[%132, %128, %134, %130] : tensor<?x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x8xf32>
    %12 = arith.cmpi slt, %7, %c0_i64 : i64
    %13 = arith.select %12, %c1_i64, %7 : i64
    %14 = arith.extui %12 : i1 to i64
    %15 = arith.muli %13, %1 : i64
    %16 = arith.addi %14, %c1_i64 : i64
    %17 = arith.cmpi slt, %1, %c0_i64 : i64
    %18 = arith.select %17, %13, %15 : i64
    %19 = arith.select %17, %16, %14 : i64
    %20 = arith.muli %18, %c8_i64 : i64
    %21 = arith.cmpi sle, %19, %c1_i64 : i64
    cf.assert %21, "must have at most one inferred (negative) dimension"
    %22 = arith.muli %7, %1 : i64
    %23 = arith.muli %22, %c8_i64 : i64
    %24 = arith.divsi %23, %20 : i64
    %25 = arith.select %12, %24, %7 : i64
    %26 = arith.select %17, %24, %1 : i64
    %from_elements = tensor.from_elements %25, %26, %c8_i64 : tensor<3xi64>
    %reshape = tensor.reshape %11(%from_elements) : (tensor<?x2x?x8xf32>, tensor<3xi64>) -> tensor<?x?x8xf32>
    cf.assert %8, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %9, "unimplemented: dynamic negative broadcast sizes"
    %27 = tensor.empty(%dim, %dim_3) : tensor<?x2x8x?xf32>
    %28 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%27 : tensor<?x2x8x?xf32>) {
    ^bb0(%out: f32):
      %127 = linalg.index 0 : index
      %128 = linalg.index 1 : index
      %129 = linalg.index 2 : index
      %130 = linalg.index 3 : index
      %131 = arith.cmpi eq, %dim_5, %c1 : index
      %132 = arith.select %131, %c0, %127 : index
      %133 = arith.cmpi eq, %dim_6, %c1 : index
      %134 = arith.select %133, %c0, %130 : index
      %extracted = tensor.extract %transposed[%132, %128, %129, %134] : tensor<?x2x8x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x8x?xf32>
    %29 = arith.muli %13, %c8_i64 : i64
    %30 = arith.muli %29, %1 : i64
    %31 = arith.select %17, %29, %30 : i64
    cf.assert %21, "must have at most one inferred (negative) dimension"
    %32 = arith.muli %0, %c16_i64 : i64
    %33 = arith.muli %32, %1 : i64
    %34 = arith.divsi %33, %31 : i64
    %35 = arith.select %12, %34, %7 : i64
    %36 = arith.select %17, %34, %1 : i64
    %from_elements_7 = tensor.from_elements %35, %c8_i64, %36 : tensor<3xi64>
    %reshape_8 = tensor.reshape %28(%from_elements_7) : (tensor<?x2x8x?xf32>, tensor<3xi64>) -> tensor<?x8x?xf32>
    %37 = arith.index_cast %25 : i64 to index
    %38 = arith.index_cast %26 : i64 to index
    %39 = arith.index_cast %36 : i64 to index
    %40 = arith.cmpi eq, %25, %35 : i64
    cf.assert %40, "mismatching contracting dimension"
    %41 = tensor.empty(%37, %38, %39) : tensor<?x?x?xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %43 = linalg.batch_matmul ins(%reshape, %reshape_8 : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%42 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %44 = arith.cmpi slt, %0, %c0_i64 : i64
    %45 = arith.select %44, %c1_i64, %0 : i64
    %46 = arith.extui %44 : i1 to i64
    %47 = arith.muli %45, %c2_i64 : i64
    %48 = arith.muli %47, %1 : i64
    %49 = arith.addi %46, %c1_i64 : i64
    %50 = arith.select %17, %47, %48 : i64
    %51 = arith.select %17, %49, %46 : i64
    %52 = arith.muli %50, %1 : i64
    %53 = arith.addi %51, %c1_i64 : i64
    %54 = arith.select %17, %47, %52 : i64
    %55 = arith.select %17, %53, %46 : i64
    %56 = arith.cmpi sle, %55, %c1_i64 : i64
    cf.assert %56, "must have at most one inferred (negative) dimension"
    %57 = arith.muli %25, %26 : i64
    %58 = arith.muli %57, %36 : i64
    %59 = arith.divsi %58, %54 : i64
    %60 = arith.select %44, %59, %0 : i64
    %61 = arith.select %17, %59, %1 : i64
    %from_elements_9 = tensor.from_elements %60, %c2_i64, %61, %61 : tensor<4xi64>
    %reshape_10 = tensor.reshape %43(%from_elements_9) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x2x?x?xf32>
    %62 = arith.index_cast %60 : i64 to index
    %63 = arith.index_cast %61 : i64 to index
    %64 = tensor.empty(%62, %63, %63) : tensor<?x2x?x?xf32>
    %65 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_10 : tensor<?x2x?x?xf32>) outs(%64 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %127 = arith.truncf %cst_2 : f64 to f32
      %128 = arith.divf %in, %127 : f32
      linalg.yield %128 : f32
    } -> tensor<?x2x?x?xf32>
    %66 = tensor.empty(%dim_3, %dim_3) : tensor<?x?xi1>
    %67 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xi64>) outs(%66 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %127 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %127 : i1
    } -> tensor<?x?xi1>
    %68 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xi64>) outs(%66 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %127 = arith.cmpi sge, %in, %c20_i64 : i64
      linalg.yield %127 : i1
    } -> tensor<?x?xi1>
    %69 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%67, %68 : tensor<?x?xi1>, tensor<?x?xi1>) outs(%66 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %in_22: i1, %out: i1):
      %127 = arith.ori %in, %in_22 : i1
      linalg.yield %127 : i1
    } -> tensor<?x?xi1>
    %70 = arith.cmpi eq, %dim_3, %63 : index
    cf.assert %70, "mismatched size for broadcast"
    cf.assert %70, "mismatched size for broadcast"
    %71 = tensor.empty(%62, %dim_3, %dim_3) : tensor<?x2x?x?xf32>
    %72 = linalg.generic {indexing_maps = [#map5, #map6, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %cst_1, %65 : tensor<?x?xi1>, tensor<f32>, tensor<?x2x?x?xf32>) outs(%71 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: i1, %in_22: f32, %in_23: f32, %out: f32):
      %127 = arith.select %in, %in_22, %in_23 : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x?xf32>
    %73 = arith.select %44, %c1, %dim : index
    %74 = arith.select %17, %c1, %dim_3 : index
    %75 = tensor.empty(%73, %74) : tensor<?x2x?x1xf32>
    %expanded_11 = tensor.expand_shape %arg3 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
    %76 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11 : tensor<2x1xf32>) outs(%75 : tensor<?x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x?x1xf32>
    %concat = tensor.concat dim(3) %72, %76 : (tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) -> tensor<?x2x?x?xf32>
    %dim_12 = tensor.dim %72, %c0 : tensor<?x2x?x?xf32>
    %dim_13 = tensor.dim %72, %c2 : tensor<?x2x?x?xf32>
    %77 = tensor.empty(%dim_12, %dim_13) : tensor<?x2x?xi64>
    %78 = linalg.fill ins(%c0_i64 : i64) outs(%77 : tensor<?x2x?xi64>) -> tensor<?x2x?xi64>
    %79 = tensor.empty(%dim_12, %dim_13) : tensor<?x2x?xf32>
    %80 = linalg.fill ins(%cst_0 : f32) outs(%79 : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
    %81:2 = linalg.generic {indexing_maps = [#map4, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%concat : tensor<?x2x?x?xf32>) outs(%80, %78 : tensor<?x2x?xf32>, tensor<?x2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_22: i64):
      %127 = linalg.index 3 : index
      %128 = arith.index_cast %127 : index to i64
      %129 = arith.maximumf %in, %out : f32
      %130 = arith.cmpf ogt, %in, %out : f32
      %131 = arith.select %130, %128, %out_22 : i64
      linalg.yield %129, %131 : f32, i64
    } -> (tensor<?x2x?xf32>, tensor<?x2x?xi64>)
    %expanded_14 = tensor.expand_shape %81#0 [[0], [1], [2, 3]] output_shape [%dim_12, 2, %dim_13, 1] : tensor<?x2x?xf32> into tensor<?x2x?x1xf32>
    %dim_15 = tensor.dim %72, %c3 : tensor<?x2x?x?xf32>
    %82 = affine.apply #map9()[%dim_15]
    %83 = tensor.empty(%dim_12, %dim_13, %82) : tensor<?x2x?x?xf32>
    %84 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_14 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%83 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %127 = arith.subf %in, %in_22 : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x?xf32>
    %85:2 = linalg.generic {indexing_maps = [#map4, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%84 : tensor<?x2x?x?xf32>) outs(%80, %78 : tensor<?x2x?xf32>, tensor<?x2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_22: i64):
      %127 = linalg.index 3 : index
      %128 = arith.index_cast %127 : index to i64
      %129 = arith.maximumf %in, %out : f32
      %130 = arith.cmpf ogt, %in, %out : f32
      %131 = arith.select %130, %128, %out_22 : i64
      linalg.yield %129, %131 : f32, i64
    } -> (tensor<?x2x?xf32>, tensor<?x2x?xi64>)
    %expanded_16 = tensor.expand_shape %85#0 [[0], [1], [2, 3]] output_shape [%dim_12, 2, %dim_13, 1] : tensor<?x2x?xf32> into tensor<?x2x?x1xf32>
    %86 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84, %expanded_16 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%83 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %127 = arith.subf %in, %in_22 : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x?xf32>
    %87 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86 : tensor<?x2x?x?xf32>) outs(%83 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %127 = math.exp %in : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x?xf32>
    %88 = tensor.empty(%dim_12, %dim_13) : tensor<?x2x?x1xf32>
    %89 = linalg.fill ins(%cst : f32) outs(%88 : tensor<?x2x?x1xf32>) -> tensor<?x2x?x1xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%87 : tensor<?x2x?x?xf32>) outs(%89 : tensor<?x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %127 = arith.addf %in, %out : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x1xf32>
    %91 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87, %90 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%83 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %127 = arith.divf %in, %in_22 : f32
      linalg.yield %127 : f32
    } -> tensor<?x2x?x?xf32>
    %92 = arith.index_cast %82 : index to i64
    %93 = arith.minsi %92, %c0_i64 : i64
    %94 = arith.index_cast %93 : i64 to index
    %95 = arith.addi %82, %c-1 : index
    %96 = arith.cmpi slt, %95, %c0 : index
    %97 = arith.select %96, %c-1, %95 : index
    %98 = arith.minsi %97, %82 : index
    %99 = arith.subi %98, %94 : index
    %100 = arith.maxsi %99, %c0 : index
    %extracted_slice = tensor.extract_slice %91[0, 0, 0, %94] [%dim_12, 2, %dim_13, %100] [1, 1, 1, 1] : tensor<?x2x?x?xf32> to tensor<?x2x?x?xf32>
    cf.assert %8, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %9, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %9, "unimplemented: dynamic negative broadcast sizes"
    %101 = tensor.empty(%dim, %dim_3, %dim_3) : tensor<?x2x?x?xf32>
    %102 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%101 : tensor<?x2x?x?xf32>) {
    ^bb0(%out: f32):
      %127 = linalg.index 0 : index
      %128 = linalg.index 1 : index
      %129 = linalg.index 2 : index
      %130 = linalg.index 3 : index
      %131 = arith.cmpi eq, %dim_12, %c1 : index
      %132 = arith.select %131, %c0, %127 : index
      %133 = arith.cmpi eq, %dim_13, %c1 : index
      %134 = arith.select %133, %c0, %129 : index
      %135 = arith.cmpi eq, %100, %c1 : index
      %136 = arith.select %135, %c0, %130 : index
      %extracted = tensor.extract %extracted_slice[%132, %128, %134, %136] : tensor<?x2x?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x?xf32>
    %103 = arith.muli %18, %1 : i64
    %104 = arith.addi %19, %c1_i64 : i64
    %105 = arith.select %17, %13, %103 : i64
    %106 = arith.select %17, %104, %14 : i64
    %107 = arith.cmpi sle, %106, %c1_i64 : i64
    cf.assert %107, "must have at most one inferred (negative) dimension"
    %108 = arith.muli %22, %1 : i64
    %109 = arith.divsi %108, %105 : i64
    %110 = arith.select %12, %109, %7 : i64
    %111 = arith.select %17, %109, %1 : i64
    %from_elements_17 = tensor.from_elements %110, %111, %111 : tensor<3xi64>
    %reshape_18 = tensor.reshape %102(%from_elements_17) : (tensor<?x2x?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    cf.assert %8, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %9, "unimplemented: dynamic negative broadcast sizes"
    %112 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%10 : tensor<?x2x?x8xf32>) {
    ^bb0(%out: f32):
      %127 = linalg.index 0 : index
      %128 = linalg.index 1 : index
      %129 = linalg.index 2 : index
      %130 = linalg.index 3 : index
      %dim_22 = tensor.dim %arg2, %c0 : tensor<?x2x?x8xf32>
      %131 = arith.cmpi eq, %dim_22, %c1 : index
      %132 = arith.select %131, %c0, %127 : index
      %dim_23 = tensor.dim %arg2, %c2 : tensor<?x2x?x8xf32>
      %133 = arith.cmpi eq, %dim_23, %c1 : index
      %134 = arith.select %133, %c0, %129 : index
      %extracted = tensor.extract %arg2[%132, %128, %134, %130] : tensor<?x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x8xf32>
    cf.assert %21, "must have at most one inferred (negative) dimension"
    %reshape_19 = tensor.reshape %112(%from_elements) : (tensor<?x2x?x8xf32>, tensor<3xi64>) -> tensor<?x?x8xf32>
    %113 = arith.index_cast %110 : i64 to index
    %114 = arith.index_cast %111 : i64 to index
    %115 = arith.cmpi eq, %110, %25 : i64
    cf.assert %115, "mismatching contracting dimension"
    %116 = arith.cmpi eq, %111, %26 : i64
    cf.assert %116, "mismatching contracting dimension"
    %117 = tensor.empty(%113, %114) : tensor<?x?x8xf32>
    %118 = linalg.fill ins(%cst : f32) outs(%117 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %119 = linalg.batch_matmul ins(%reshape_18, %reshape_19 : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%118 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %120 = arith.muli %50, %c8_i64 : i64
    %121 = arith.cmpi sle, %51, %c1_i64 : i64
    cf.assert %121, "must have at most one inferred (negative) dimension"
    %122 = arith.muli %110, %111 : i64
    %123 = arith.muli %122, %c8_i64 : i64
    %124 = arith.divsi %123, %120 : i64
    %125 = arith.select %44, %124, %0 : i64
    %126 = arith.select %17, %124, %1 : i64
    %from_elements_20 = tensor.from_elements %125, %c2_i64, %126, %c8_i64 : tensor<4xi64>
    %reshape_21 = tensor.reshape %119(%from_elements_20) : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x2x?x8xf32>
    return %reshape_21 : tensor<?x2x?x8xf32>
  }
}
