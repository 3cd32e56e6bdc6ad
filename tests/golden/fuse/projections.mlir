// RUN: tcc-attn opt %s --passes=transform | FileCheck %s
// Megatron-style: batch and heads tiled, the three projections are fused through expand_shape (offset times 64).
func.func @multihead_attention_with_prologue_proj(%arg0: tensor<4x1024x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<512x512xf32>, %arg3: tensor<512x512xf32>) -> tensor<4x8x1024x64xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<4x512x512xf32>
  %broadcasted = linalg.broadcast ins(%arg1 : tensor<512x512xf32>) outs(%0 : tensor<4x512x512xf32>) dimensions = [0]
  %1 = tensor.empty() : tensor<4x1024x512xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<4x1024x512xf32>) -> tensor<4x1024x512xf32>
  %3 = linalg_ext.batch_matmul ins(%arg0, %broadcasted : tensor<4x1024x512xf32>, tensor<4x512x512xf32>) outs(%2 : tensor<4x1024x512xf32>) layout = "nn"
  %broadcasted_1 = linalg.broadcast ins(%arg2 : tensor<512x512xf32>) outs(%0 : tensor<4x512x512xf32>) dimensions = [0]
  %4 = linalg_ext.batch_matmul ins(%arg0, %broadcasted_1 : tensor<4x1024x512xf32>, tensor<4x512x512xf32>) outs(%2 : tensor<4x1024x512xf32>) layout = "nn"
  %broadcasted_2 = linalg.broadcast ins(%arg3 : tensor<512x512xf32>) outs(%0 : tensor<4x512x512xf32>) dimensions = [0]
  %5 = linalg_ext.batch_matmul ins(%arg0, %broadcasted_2 : tensor<4x1024x512xf32>, tensor<4x512x512xf32>) outs(%2 : tensor<4x1024x512xf32>) layout = "nn"
  %expanded = tensor.expand_shape %3 [[0], [1], [2, 3]] : tensor<4x1024x512xf32> into tensor<4x1024x8x64xf32>
  %expanded_3 = tensor.expand_shape %4 [[0], [1], [2, 3]] : tensor<4x1024x512xf32> into tensor<4x1024x8x64xf32>
  %expanded_4 = tensor.expand_shape %5 [[0], [1], [2, 3]] : tensor<4x1024x512xf32> into tensor<4x1024x8x64xf32>
  %6 = tensor.empty() : tensor<4x8x1024x64xf32>
  %7 = tensor.empty() : tensor<4x8x64x1024xf32>
  %transposed = linalg.transpose ins(%expanded : tensor<4x1024x8x64xf32>) outs(%6 : tensor<4x8x1024x64xf32>) permutation = [0, 2, 1, 3]
  %transposed_5 = linalg.transpose ins(%expanded_3 : tensor<4x1024x8x64xf32>) outs(%7 : tensor<4x8x64x1024xf32>) permutation = [0, 2, 3, 1]
  %transposed_6 = linalg.transpose ins(%expanded_4 : tensor<4x1024x8x64xf32>) outs(%6 : tensor<4x8x1024x64xf32>) permutation = [0, 2, 1, 3]
  %8 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<4x8x1024x1024xf32>) -> tensor<4x8x1024x1024xf32>
  %10 = tensor.empty() : tensor<4x8x1024xf32>
  %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %13 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<4x8x1024x64xf32>) -> tensor<4x8x1024x64xf32>
  %14 = linalg_ext.batch_matmul ins(%transposed, %transposed_5 : tensor<4x8x1024x64xf32>, tensor<4x8x64x1024xf32>) outs(%9 : tensor<4x8x1024x1024xf32>) layout = "nn"
  %15:4 = linalg_ext.softmax dimension(3) ins(%14 : tensor<4x8x1024x1024xf32>) outs(%8, %11, %12, %10 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>) : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>
  %16 = linalg_ext.batch_matmul ins(%15#0, %transposed_6 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024x64xf32>) outs(%13 : tensor<4x8x1024x64xf32>) layout = "nn"  {__root__}
  return %16 : tensor<4x8x1024x64xf32>
}

transform.sequence failures(propagate) {
^bb0(%arg0: !pdl.operation):
  %0 = transform.structured.match attributes {__root__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %transformed, %loops:2 = transform.structured.fuse_ext %0 {tile_interchange = [0, 1, 4, 3, 2], tile_sizes = [2, 4, 0, 0, 0]}
  cleanup
}

// CHECK-LABEL: func.func @multihead_attention_with_prologue_proj(
// CHECK: %[[V0:[a-z0-9_]+]] = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c4{{[_0-9]*}} step %c2{{[_0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<4x8x1024x64xf32>) {
// CHECK: %[[V3:[a-z0-9_]+]] = scf.for %[[V4:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c8{{[_0-9]*}} step %c4{{[_0-9]*}} iter_args(%[[V5:[a-z0-9_]+]] = %[[V2]]) -> (tensor<4x8x1024x64xf32>) {
// CHECK: %[[V6:[a-z0-9_]+]] = tensor.extract_slice %arg0[%[[V1]], 0, 0] [2, 1024, 512] [1, 1, 1] : tensor<4x1024x512xf32> to tensor<2x1024x512xf32>
// CHECK: %[[V7:[a-z0-9_]+]] = tensor.extract_slice %arg1[0, %{{[a-z0-9_]+}}] [512, 256] [1, 1] : tensor<512x512xf32> to tensor<512x256xf32>
// CHECK: %[[V8:[a-z0-9_]+]] = linalg.broadcast ins(%[[V7]] : tensor<512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x512x256xf32>) dimensions = [0]
// CHECK: %[[V9:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V6]], %[[V8]] : tensor<2x1024x512xf32>, tensor<2x512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x1024x256xf32>) layout = "nn" -> tensor<2x1024x256xf32>
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.expand_shape %[[V9]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 1024, 4, 64] : tensor<2x1024x256xf32> into tensor<2x1024x4x64xf32>
// CHECK: %[[V11:[a-z0-9_]+]] = linalg.transpose ins(%[[V10]] : tensor<2x1024x4x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) permutation = [0, 2, 1, 3]
// CHECK: %[[V12:[a-z0-9_]+]] = tensor.extract_slice %arg2[0, %{{[a-z0-9_]+}}] [512, 256] [1, 1] : tensor<512x512xf32> to tensor<512x256xf32>
// CHECK: %[[V13:[a-z0-9_]+]] = linalg.broadcast ins(%[[V12]] : tensor<512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x512x256xf32>) dimensions = [0]
// CHECK: %[[V14:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V6]], %[[V13]] : tensor<2x1024x512xf32>, tensor<2x512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x1024x256xf32>) layout = "nn" -> tensor<2x1024x256xf32>
// CHECK: %[[V15:[a-z0-9_]+]] = tensor.expand_shape %[[V14]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 1024, 4, 64] : tensor<2x1024x256xf32> into tensor<2x1024x4x64xf32>
// CHECK: %[[V16:[a-z0-9_]+]] = linalg.transpose ins(%[[V15]] : tensor<2x1024x4x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x64x1024xf32>) permutation = [0, 2, 3, 1]
// CHECK: %[[V17:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V11]], %[[V16]] : tensor<2x4x1024x64xf32>, tensor<2x4x64x1024xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x1024xf32>) layout = "nn" -> tensor<2x4x1024x1024xf32>
// CHECK: %[[V18:[a-z0-9_]+]]:4 = linalg_ext.softmax dimension(3) ins(%[[V17]] : tensor<2x4x1024x1024xf32>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<2x4x1024x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>) -> (tensor<2x4x1024x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>)
// CHECK: %[[V19:[a-z0-9_]+]] = tensor.extract_slice %arg3[0, %{{[a-z0-9_]+}}] [512, 256] [1, 1] : tensor<512x512xf32> to tensor<512x256xf32>
// CHECK: %[[V20:[a-z0-9_]+]] = linalg.broadcast ins(%[[V19]] : tensor<512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x512x256xf32>) dimensions = [0]
// CHECK: %[[V21:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V6]], %[[V20]] : tensor<2x1024x512xf32>, tensor<2x512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x1024x256xf32>) layout = "nn" -> tensor<2x1024x256xf32>
// CHECK: %[[V22:[a-z0-9_]+]] = tensor.expand_shape %[[V21]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 1024, 4, 64] : tensor<2x1024x256xf32> into tensor<2x1024x4x64xf32>
// CHECK: %[[V23:[a-z0-9_]+]] = linalg.transpose ins(%[[V22]] : tensor<2x1024x4x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) permutation = [0, 2, 1, 3]
// CHECK: %[[V24:[a-z0-9_]+]] = linalg_ext.batch_matmul {__root__} ins(%[[V18]]#0, %[[V23]] : tensor<2x4x1024x1024xf32>, tensor<2x4x1024x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) layout = "nn" -> tensor<2x4x1024x64xf32>
// CHECK: %[[V25:[a-z0-9_]+]] = tensor.insert_slice %[[V24]] into %[[V5]][%[[V1]], %[[V4]], 0, 0] [2, 4, 1024, 64] [1, 1, 1, 1] : tensor<2x4x1024x64xf32> into tensor<4x8x1024x64xf32>
// CHECK: scf.yield %[[V25]] : tensor<4x8x1024x64xf32>
// CHECK: scf.yield %[[V3]] : tensor<4x8x1024x64xf32>
// CHECK: return %[[V0]] : tensor<4x8x1024x64xf32>
// CHECK-NOT: transform
