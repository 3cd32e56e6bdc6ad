// {"shapes": [[2, 50, 16], [48, 16], [48], [16, 16], [16]], "spreads": [1.0, 0.5, 0.5, 0.25, 0.5], "error": 2.98e-06}
#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @open_gpt2_attention(%arg0: tensor<2x?x16xf32>, %arg1: tensor<48x16xf32>, %arg2: tensor<48xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16xf32>) -> tensor<2x?x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c2_i64 = arith.constant 2 : i64
    %c-1 = arith.constant -1 : index
    %c64 = arith.constant 64 : index
    %c0_i8 = arith.constant 0 : i8
    %c4_i64 = arith.constant 4 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<-3.40282347E+38> : tensor<f32>
    %cst_2 = arith.constant 2.8284271247461903 : f64
    %cst_3 = arith.constant dense_resource<torch_tensor_1_1_64_64_torch.uint8> : tensor<1x1x64x64xi8>
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x16xf32>
    %0 = arith.index_cast %dim : index to i64
    %1 = arith.muli %0, %c2_i64 : i64
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x?x16xf32> into tensor<?x16xf32>
    %2 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<48x16xf32>) outs(%2 : tensor<16x48xf32>) permutation = [1, 0] 
    %3 = affine.apply #map()[%dim]
    %4 = tensor.empty(%3) : tensor<?x48xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x48xf32>) -> tensor<?x48xf32>
    %6 = linalg.matmul ins(%collapsed, %transposed : tensor<?x16xf32>, tensor<16x48xf32>) outs(%5 : tensor<?x48xf32>) -> tensor<?x48xf32>
    %7 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %7, "negative values not allowed in new dimensions"
    %8 = arith.index_cast %1 : i64 to index
    %9 = tensor.empty(%8) : tensor<?x48xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<48xf32>) outs(%9 : tensor<?x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x48xf32>
    %11 = arith.cmpi eq, %3, %8 : index
    cf.assert %11, "mismatched size for broadcast"
    %12 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6, %10 : tensor<?x48xf32>, tensor<?x48xf32>) outs(%4 : tensor<?x48xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %83 = arith.addf %in, %in_25 : f32
      linalg.yield %83 : f32
    } -> tensor<?x48xf32>
    %13 = arith.divsi %3, %c2 : index
    %expanded = tensor.expand_shape %12 [[0, 1], [2]] output_shape [2, %13, 48] : tensor<?x48xf32> into tensor<2x?x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, %13, 16] [1, 1, 1] : tensor<2x?x48xf32> to tensor<2x?x16xf32>
    %extracted_slice_4 = tensor.extract_slice %expanded[0, 0, 16] [2, %13, 16] [1, 1, 1] : tensor<2x?x48xf32> to tensor<2x?x16xf32>
    %extracted_slice_5 = tensor.extract_slice %expanded[0, 0, 32] [2, %13, 16] [1, 1, 1] : tensor<2x?x48xf32> to tensor<2x?x16xf32>
    %expanded_6 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<2x?x16xf32> into tensor<2x?x2x8xf32>
    %14 = tensor.empty(%13) : tensor<2x2x?x8xf32>
    %transposed_7 = linalg.transpose ins(%expanded_6 : tensor<2x?x2x8xf32>) outs(%14 : tensor<2x2x?x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_8 = tensor.expand_shape %extracted_slice_4 [[0], [1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<2x?x16xf32> into tensor<2x?x2x8xf32>
    %expanded_9 = tensor.expand_shape %extracted_slice_5 [[0], [1], [2, 3]] output_shape [2, %13, 2, 8] : tensor<2x?x16xf32> into tensor<2x?x2x8xf32>
    %transposed_10 = linalg.transpose ins(%expanded_9 : tensor<2x?x2x8xf32>) outs(%14 : tensor<2x2x?x8xf32>) permutation = [0, 2, 1, 3] 
    %15 = tensor.empty() : tensor<1x1x64x64xi1>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<1x1x64x64xi8>) outs(%15 : tensor<1x1x64x64xi1>) {
    ^bb0(%in: i8, %out: i1):
      %83 = arith.cmpi ne, %in, %c0_i8 : i8
      linalg.yield %83 : i1
    } -> tensor<1x1x64x64xi1>
    %17 = arith.cmpi slt, %dim, %c0 : index
    %18 = arith.addi %dim, %c64 : index
    %19 = arith.select %17, %18, %dim : index
    %20 = arith.cmpi slt, %19, %c0 : index
    %21 = arith.select %20, %c-1, %19 : index
    %22 = arith.minsi %21, %c64 : index
    %23 = arith.maxsi %22, %c0 : index
    %extracted_slice_11 = tensor.extract_slice %16[0, 0, 0, 0] [1, 1, %23, 64] [1, 1, 1, 1] : tensor<1x1x64x64xi1> to tensor<1x1x?x64xi1>
    %extracted_slice_12 = tensor.extract_slice %extracted_slice_11[0, 0, 0, 0] [1, 1, %23, %23] [1, 1, 1, 1] : tensor<1x1x?x64xi1> to tensor<1x1x?x?xi1>
    %24 = tensor.empty(%13) : tensor<2x2x8x?xf32>
    %transposed_13 = linalg.transpose ins(%expanded_8 : tensor<2x?x2x8xf32>) outs(%24 : tensor<2x2x8x?xf32>) permutation = [0, 2, 3, 1] 
    %25 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %26 = tensor.empty(%dim) : tensor<2x2x?x8xf32>
    %27 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%26 : tensor<2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 1 : index
      %85 = linalg.index 2 : index
      %86 = linalg.index 3 : index
      %87 = arith.cmpi eq, %13, %c1 : index
      %88 = arith.select %87, %c0, %85 : index
      %extracted = tensor.extract %transposed_7[%83, %84, %88, %86] : tensor<2x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x8xf32>
    %collapsed_14 = tensor.collapse_shape %27 [[0, 1], [2], [3]] : tensor<2x2x?x8xf32> into tensor<4x?x8xf32>
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %28 = tensor.empty(%dim) : tensor<2x2x8x?xf32>
    %29 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%28 : tensor<2x2x8x?xf32>) {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 1 : index
      %85 = linalg.index 2 : index
      %86 = linalg.index 3 : index
      %87 = arith.cmpi eq, %13, %c1 : index
      %88 = arith.select %87, %c0, %86 : index
      %extracted = tensor.extract %transposed_13[%83, %84, %85, %88] : tensor<2x2x8x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x8x?xf32>
    %collapsed_15 = tensor.collapse_shape %29 [[0, 1], [2], [3]] : tensor<2x2x8x?xf32> into tensor<4x8x?xf32>
    %30 = tensor.empty(%dim, %dim) : tensor<4x?x?xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    %32 = linalg.batch_matmul ins(%collapsed_14, %collapsed_15 : tensor<4x?x8xf32>, tensor<4x8x?xf32>) outs(%31 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    %33 = arith.muli %0, %c4_i64 : i64
    %34 = arith.cmpi slt, %0, %c0_i64 : i64
    %35 = arith.select %34, %c4_i64, %33 : i64
    %36 = arith.extui %34 : i1 to i64
    %37 = arith.muli %35, %0 : i64
    %38 = arith.addi %36, %c1_i64 : i64
    %39 = arith.select %34, %c4_i64, %37 : i64
    %40 = arith.select %34, %38, %36 : i64
    %41 = arith.cmpi sle, %40, %c1_i64 : i64
    cf.assert %41, "must have at most one inferred (negative) dimension"
    %42 = arith.muli %33, %0 : i64
    %43 = arith.divsi %42, %39 : i64
    %44 = arith.select %34, %43, %0 : i64
    %from_elements = tensor.from_elements %c2_i64, %c2_i64, %44, %44 : tensor<4xi64>
    %reshape = tensor.reshape %32(%from_elements) : (tensor<4x?x?xf32>, tensor<4xi64>) -> tensor<2x2x?x?xf32>
    %45 = arith.index_cast %44 : i64 to index
    %46 = tensor.empty(%45, %45) : tensor<2x2x?x?xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape : tensor<2x2x?x?xf32>) outs(%46 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.truncf %cst_2 : f64 to f32
      %84 = arith.divf %in, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<2x2x?x?xf32>
    %48 = arith.cmpi eq, %23, %45 : index
    cf.assert %48, "mismatched size for broadcast"
    cf.assert %48, "mismatched size for broadcast"
    %49 = tensor.empty(%23, %23) : tensor<2x2x?x?xf32>
    %50 = linalg.generic {indexing_maps = [#map4, #map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_12, %47, %cst_1 : tensor<1x1x?x?xi1>, tensor<2x2x?x?xf32>, tensor<f32>) outs(%49 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: i1, %in_25: f32, %in_26: f32, %out: f32):
      %83 = arith.select %in, %in_25, %in_26 : f32
      linalg.yield %83 : f32
    } -> tensor<2x2x?x?xf32>
    %51 = tensor.empty(%23) : tensor<2x2x?xi64>
    %52 = linalg.fill ins(%c0_i64 : i64) outs(%51 : tensor<2x2x?xi64>) -> tensor<2x2x?xi64>
    %53 = tensor.empty(%23) : tensor<2x2x?xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<2x2x?xf32>) -> tensor<2x2x?xf32>
    %55:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%50 : tensor<2x2x?x?xf32>) outs(%54, %52 : tensor<2x2x?xf32>, tensor<2x2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_25: i64):
      %83 = linalg.index 3 : index
      %84 = arith.index_cast %83 : index to i64
      %85 = arith.maximumf %in, %out : f32
      %86 = arith.cmpf ogt, %in, %out : f32
      %87 = arith.select %86, %84, %out_25 : i64
      linalg.yield %85, %87 : f32, i64
    } -> (tensor<2x2x?xf32>, tensor<2x2x?xi64>)
    %expanded_16 = tensor.expand_shape %55#0 [[0], [1], [2, 3]] output_shape [2, 2, %23, 1] : tensor<2x2x?xf32> into tensor<2x2x?x1xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %expanded_16 : tensor<2x2x?x?xf32>, tensor<2x2x?x1xf32>) outs(%49 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %83 = arith.subf %in, %in_25 : f32
      linalg.yield %83 : f32
    } -> tensor<2x2x?x?xf32>
    %57 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56 : tensor<2x2x?x?xf32>) outs(%49 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %83 = math.exp %in : f32
      linalg.yield %83 : f32
    } -> tensor<2x2x?x?xf32>
    %58 = tensor.empty(%23) : tensor<2x2x?x1xf32>
    %59 = linalg.fill ins(%cst : f32) outs(%58 : tensor<2x2x?x1xf32>) -> tensor<2x2x?x1xf32>
    %60 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%57 : tensor<2x2x?x?xf32>) outs(%59 : tensor<2x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.addf %in, %out : f32
      linalg.yield %83 : f32
    } -> tensor<2x2x?x1xf32>
    %61 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %60 : tensor<2x2x?x?xf32>, tensor<2x2x?x1xf32>) outs(%49 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %83 = arith.divf %in, %in_25 : f32
      linalg.yield %83 : f32
    } -> tensor<2x2x?x?xf32>
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %62 = tensor.empty(%dim, %dim) : tensor<2x2x?x?xf32>
    %63 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%62 : tensor<2x2x?x?xf32>) {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 1 : index
      %85 = linalg.index 2 : index
      %86 = linalg.index 3 : index
      %87 = arith.cmpi eq, %23, %c1 : index
      %88 = arith.select %87, %c0, %85 : index
      %89 = arith.select %87, %c0, %86 : index
      %extracted = tensor.extract %61[%83, %84, %88, %89] : tensor<2x2x?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x?xf32>
    cf.assert %41, "must have at most one inferred (negative) dimension"
    %from_elements_17 = tensor.from_elements %c4_i64, %44, %44 : tensor<3xi64>
    %reshape_18 = tensor.reshape %63(%from_elements_17) : (tensor<2x2x?x?xf32>, tensor<3xi64>) -> tensor<4x?x?xf32>
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %64 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%26 : tensor<2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 1 : index
      %85 = linalg.index 2 : index
      %86 = linalg.index 3 : index
      %87 = arith.cmpi eq, %13, %c1 : index
      %88 = arith.select %87, %c0, %85 : index
      %extracted = tensor.extract %transposed_10[%83, %84, %88, %86] : tensor<2x2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x?x8xf32>
    %collapsed_19 = tensor.collapse_shape %64 [[0, 1], [2], [3]] : tensor<2x2x?x8xf32> into tensor<4x?x8xf32>
    %65 = arith.cmpi eq, %44, %0 : i64
    cf.assert %65, "mismatching contracting dimension"
    %66 = tensor.empty(%45) : tensor<4x?x8xf32>
    %67 = linalg.fill ins(%cst : f32) outs(%66 : tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
    %68 = linalg.batch_matmul ins(%reshape_18, %collapsed_19 : tensor<4x?x?xf32>, tensor<4x?x8xf32>) outs(%67 : tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
    %expanded_20 = tensor.expand_shape %68 [[0, 1], [2], [3]] output_shape [2, 2, %45, 8] : tensor<4x?x8xf32> into tensor<2x2x?x8xf32>
    %69 = tensor.empty(%45) : tensor<2x?x2x8xf32>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<2x2x?x8xf32>) outs(%69 : tensor<2x?x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_22 = tensor.collapse_shape %transposed_21 [[0, 1], [2, 3]] : tensor<2x?x2x8xf32> into tensor<?x16xf32>
    %70 = tensor.empty() : tensor<16x16xf32>
    %transposed_23 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%70 : tensor<16x16xf32>) permutation = [1, 0] 
    %71 = affine.apply #map()[%45]
    %72 = tensor.empty(%71) : tensor<?x16xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %74 = linalg.matmul ins(%collapsed_22, %transposed_23 : tensor<?x16xf32>, tensor<16x16xf32>) outs(%73 : tensor<?x16xf32>) -> tensor<?x16xf32>
    cf.assert %7, "negative values not allowed in new dimensions"
    %75 = tensor.empty(%8) : tensor<?x16xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<16xf32>) outs(%75 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x16xf32>
    %77 = arith.cmpi eq, %71, %8 : index
    cf.assert %77, "mismatched size for broadcast"
    %78 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%74, %76 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%72 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %83 = arith.addf %in, %in_25 : f32
      linalg.yield %83 : f32
    } -> tensor<?x16xf32>
    %79 = arith.divsi %71, %c2 : index
    %expanded_24 = tensor.expand_shape %78 [[0, 1], [2]] output_shape [2, %79, 16] : tensor<?x16xf32> into tensor<2x?x16xf32>
    %80 = arith.cmpi eq, %dim, %79 : index
    cf.assert %80, "mismatched size for broadcast"
    %81 = tensor.empty(%dim) : tensor<2x?x16xf32>
    %82 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_24 : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%81 : tensor<2x?x16xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %83 = arith.addf %in, %in_25 : f32
      linalg.yield %83 : f32
    } -> tensor<2x?x16xf32>
    return %82 : tensor<2x?x16xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_1_1_64_64_torch.uint8: "0x0100000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000000000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010000000001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010100000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010001010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101"
    }
  }
#-}
