// A block of experts as it is exported (two of eight for each token, whose weights are gathered): the largest scores are
// found, and products read the experts' weights where they lie.
// RUN: tcc-attn run %s --random --check --verify
// RUN: tcc-attn run %s --random --check --target=host:x86-64
// RUN: tcc-attn run %s --random --check --device=ptx-emu
// RUN: tcc-attn explain %s | FileCheck %s
// CHECK: recognised: a softmax along dim 1
// CHECK-LABEL: @experts
// CHECK-NOT: x48x16xf32> for what follows
// CHECK-NOT: x16x24xf32> for what follows
// CHECK: kernels

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0)>
module {
  func.func @experts(%arg0: tensor<1x5x16xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<8x48x16xf32>, %arg3: tensor<8x16x24xf32>) -> tensor<1x5x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c8_i64 = arith.constant 8 : i64
    %cst_1 = arith.constant 1.000000e+00 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<1x5x16xf32> into tensor<5x16xf32>
    %0 = tensor.empty() : tensor<16x8xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<8x16xf32>) outs(%0 : tensor<16x8xf32>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<5x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<5x16xf32>, tensor<16x8xf32>) outs(%2 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %4 = tensor.empty() : tensor<5xi64>
    %5 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<5xi64>) -> tensor<5xi64>
    %6 = tensor.empty() : tensor<5xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<5xf32>) -> tensor<5xf32>
    %8:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<5x8xf32>) outs(%7, %5 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %42 = linalg.index 1 : index
      %43 = arith.index_cast %42 : index to i64
      %44 = arith.maximumf %in, %out : f32
      %45 = arith.cmpf ogt, %in, %out : f32
      %46 = arith.select %45, %43, %out_15 : i64
      linalg.yield %44, %46 : f32, i64
    } -> (tensor<5xf32>, tensor<5xi64>)
    %expanded = tensor.expand_shape %8#0 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %expanded : tensor<5x8xf32>, tensor<5x1xf32>) outs(%1 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.subf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<5x8xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5x8xf32>) outs(%1 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = math.exp %in : f32
      linalg.yield %42 : f32
    } -> tensor<5x8xf32>
    %11 = tensor.empty() : tensor<5x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x8xf32>) outs(%12 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<5x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %13 : tensor<5x8xf32>, tensor<5x1xf32>) outs(%1 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.divf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<5x8xf32>
    %15 = tensor.empty() : tensor<5x8xi64>
    %16 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<5x8xi64>) {
    ^bb0(%out: i64):
      %42 = linalg.index 1 : index
      %43 = arith.index_cast %42 : index to i64
      linalg.yield %43 : i64
    } -> tensor<5x8xi64>
    %17:2 = tm_tensor.sort dimension(1) outs(%14, %16 : tensor<5x8xf32>, tensor<5x8xi64>) {
    ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
      %42 = arith.cmpf oge, %arg4, %arg5 : f32
      tm_tensor.yield %42 : i1
    } -> tensor<5x8xf32>, tensor<5x8xi64>
    %extracted_slice = tensor.extract_slice %17#0[0, 0] [5, 2] [1, 1] : tensor<5x8xf32> to tensor<5x2xf32>
    %extracted_slice_2 = tensor.extract_slice %17#1[0, 0] [5, 2] [1, 1] : tensor<5x8xi64> to tensor<5x2xi64>
    %18 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%extracted_slice : tensor<5x2xf32>) outs(%12 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<5x1xf32>
    %19 = tensor.empty() : tensor<5x2xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice, %18 : tensor<5x2xf32>, tensor<5x1xf32>) outs(%19 : tensor<5x2xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.divf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<5x2xf32>
    %21 = tensor.empty() : tensor<5x2x16xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<5x16xf32>) outs(%21 : tensor<5x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x2x16xf32>
    %collapsed_3 = tensor.collapse_shape %22 [[0, 1], [2]] : tensor<5x2x16xf32> into tensor<10x16xf32>
    %collapsed_4 = tensor.collapse_shape %extracted_slice_2 [[0, 1]] : tensor<5x2xi64> into tensor<10xi64>
    %23 = tensor.empty() : tensor<10x48x16xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_4 : tensor<10xi64>) outs(%23 : tensor<10x48x16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %42 = arith.cmpi slt, %in, %c0_i64 : i64
      %43 = arith.addi %in, %c8_i64 : i64
      %44 = arith.select %42, %43, %in : i64
      %45 = arith.index_cast %44 : i64 to index
      %46 = linalg.index 1 : index
      %47 = linalg.index 2 : index
      %extracted = tensor.extract %arg2[%45, %46, %47] : tensor<8x48x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<10x48x16xf32>
    %expanded_5 = tensor.expand_shape %collapsed_3 [[0], [1, 2]] output_shape [10, 16, 1] : tensor<10x16xf32> into tensor<10x16x1xf32>
    %25 = tensor.empty() : tensor<10x48x1xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<10x48x1xf32>) -> tensor<10x48x1xf32>
    %27 = linalg.batch_matmul ins(%24, %expanded_5 : tensor<10x48x16xf32>, tensor<10x16x1xf32>) outs(%26 : tensor<10x48x1xf32>) -> tensor<10x48x1xf32>
    %collapsed_6 = tensor.collapse_shape %27 [[0], [1, 2]] : tensor<10x48x1xf32> into tensor<10x48xf32>
    %extracted_slice_7 = tensor.extract_slice %collapsed_6[0, 0] [10, 24] [1, 1] : tensor<10x48xf32> to tensor<10x24xf32>
    %extracted_slice_8 = tensor.extract_slice %collapsed_6[0, 24] [10, 24] [1, 1] : tensor<10x48xf32> to tensor<10x24xf32>
    %28 = tensor.empty() : tensor<10x24xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7 : tensor<10x24xf32>) outs(%28 : tensor<10x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.negf %in : f32
      %43 = math.exp %42 : f32
      %44 = arith.addf %43, %cst_1 : f32
      %45 = arith.divf %cst_1, %44 : f32
      linalg.yield %45 : f32
    } -> tensor<10x24xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7, %29 : tensor<10x24xf32>, tensor<10x24xf32>) outs(%28 : tensor<10x24xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.mulf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<10x24xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%30, %extracted_slice_8 : tensor<10x24xf32>, tensor<10x24xf32>) outs(%28 : tensor<10x24xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.mulf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<10x24xf32>
    %32 = tensor.empty() : tensor<10x16x24xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_4 : tensor<10xi64>) outs(%32 : tensor<10x16x24xf32>) {
    ^bb0(%in: i64, %out: f32):
      %42 = arith.cmpi slt, %in, %c0_i64 : i64
      %43 = arith.addi %in, %c8_i64 : i64
      %44 = arith.select %42, %43, %in : i64
      %45 = arith.index_cast %44 : i64 to index
      %46 = linalg.index 1 : index
      %47 = linalg.index 2 : index
      %extracted = tensor.extract %arg3[%45, %46, %47] : tensor<8x16x24xf32>
      linalg.yield %extracted : f32
    } -> tensor<10x16x24xf32>
    %expanded_9 = tensor.expand_shape %31 [[0], [1, 2]] output_shape [10, 24, 1] : tensor<10x24xf32> into tensor<10x24x1xf32>
    %34 = tensor.empty() : tensor<10x16x1xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<10x16x1xf32>) -> tensor<10x16x1xf32>
    %36 = linalg.batch_matmul ins(%33, %expanded_9 : tensor<10x16x24xf32>, tensor<10x24x1xf32>) outs(%35 : tensor<10x16x1xf32>) -> tensor<10x16x1xf32>
    %collapsed_10 = tensor.collapse_shape %36 [[0], [1, 2]] : tensor<10x16x1xf32> into tensor<10x16xf32>
    %collapsed_11 = tensor.collapse_shape %20 [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
    %expanded_12 = tensor.expand_shape %collapsed_11 [[0, 1]] output_shape [10, 1] : tensor<10xf32> into tensor<10x1xf32>
    %37 = tensor.empty() : tensor<10x16xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_10, %expanded_12 : tensor<10x16xf32>, tensor<10x1xf32>) outs(%37 : tensor<10x16xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %42 = arith.mulf %in, %in_15 : f32
      linalg.yield %42 : f32
    } -> tensor<10x16xf32>
    %expanded_13 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [5, 2, 16] : tensor<10x16xf32> into tensor<5x2x16xf32>
    %39 = tensor.empty() : tensor<5x16xf32>
    %40 = linalg.fill ins(%cst : f32) outs(%39 : tensor<5x16xf32>) -> tensor<5x16xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "reduction", "parallel"]} ins(%expanded_13 : tensor<5x2x16xf32>) outs(%40 : tensor<5x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<5x16xf32>
    %expanded_14 = tensor.expand_shape %41 [[0, 1], [2]] output_shape [1, 5, 16] : tensor<5x16xf32> into tensor<1x5x16xf32>
    return %expanded_14 : tensor<1x5x16xf32>
  }
}
