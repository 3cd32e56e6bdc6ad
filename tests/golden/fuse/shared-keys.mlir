// RUN: tcc-attn opt %s --passes=transform | FileCheck %s
// Keys and values are shared by all heads: their projections are stops and stay outside.
// batch size = 4
// sequence length = 1024
// hidden size = 512
// head number = 8
// head dimension = 64
func.func @multiquery_attention_with_prologue_proj(%arg0: tensor<4x1024x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<512x64xf32>, %arg3: tensor<512x64xf32>) -> tensor<4x8x1024x64xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<4x512x512xf32>
  %1 = tensor.empty() : tensor<4x512x64xf32>
  %broadcasted = linalg.broadcast ins(%arg1 : tensor<512x512xf32>) outs(%0 : tensor<4x512x512xf32>) dimensions = [0]
  %2 = tensor.empty() : tensor<4x1024x512xf32>
  %3 = tensor.empty() : tensor<4x1024x64xf32>
  %4 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<4x1024x512xf32>) -> tensor<4x1024x512xf32>
  %5 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<4x1024x64xf32>) -> tensor<4x1024x64xf32>
  %6 = linalg_ext.batch_matmul ins(%arg0, %broadcasted : tensor<4x1024x512xf32>, tensor<4x512x512xf32>) outs(%4 : tensor<4x1024x512xf32>) layout = "nn"
  %broadcasted_1 = linalg.broadcast ins(%arg2 : tensor<512x64xf32>) outs(%1 : tensor<4x512x64xf32>) dimensions = [0]
  %7 = linalg_ext.batch_matmul ins(%arg0, %broadcasted_1 : tensor<4x1024x512xf32>, tensor<4x512x64xf32>) outs(%5 : tensor<4x1024x64xf32>) layout = "nn" {__stop__}
  %broadcasted_2 = linalg.broadcast ins(%arg3 : tensor<512x64xf32>) outs(%1 : tensor<4x512x64xf32>) dimensions = [0]
  %8 = linalg_ext.batch_matmul ins(%arg0, %broadcasted_2 : tensor<4x1024x512xf32>, tensor<4x512x64xf32>) outs(%5 : tensor<4x1024x64xf32>) layout = "nn" {__stop__}
  %expanded = tensor.expand_shape %6 [[0], [1], [2, 3]] : tensor<4x1024x512xf32> into tensor<4x1024x8x64xf32>
  %9 = tensor.empty() : tensor<4x8x1024x64xf32>
  %10 = tensor.empty() : tensor<4x64x1024xf32>
  %transposed = linalg.transpose ins(%expanded : tensor<4x1024x8x64xf32>) outs(%9 : tensor<4x8x1024x64xf32>) permutation = [0, 2, 1, 3]
  %transposed_3 = linalg.transpose ins(%7 : tensor<4x1024x64xf32>) outs(%10 : tensor<4x64x1024xf32>) permutation = [0, 2, 1]
  %11 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<4x8x1024x1024xf32>) -> tensor<4x8x1024x1024xf32>
  %13 = tensor.empty() : tensor<4x8x1024xf32>
  %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %16 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<4x8x1024x64xf32>) -> tensor<4x8x1024x64xf32>
  %17 = tensor.empty() : tensor<4x8x64x1024xf32>
  %broadcasted_4 = linalg.broadcast ins(%transposed_3 : tensor<4x64x1024xf32>) outs(%17 : tensor<4x8x64x1024xf32>) dimensions = [1]
  %broadcasted_5 = linalg.broadcast ins(%8 : tensor<4x1024x64xf32>) outs(%9 : tensor<4x8x1024x64xf32>) dimensions = [1]
  %18 = linalg_ext.batch_matmul ins(%transposed, %broadcasted_4 : tensor<4x8x1024x64xf32>, tensor<4x8x64x1024xf32>) outs(%12 : tensor<4x8x1024x1024xf32>) layout = "nn"
  %19:4 = linalg_ext.softmax dimension(3) ins(%18 : tensor<4x8x1024x1024xf32>) outs(%11, %14, %15, %13 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>) : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>
  %20 = linalg_ext.batch_matmul ins(%19#0, %broadcasted_5 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024x64xf32>) outs(%16 : tensor<4x8x1024x64xf32>) layout = "nn" {__root__}
  return %20 : tensor<4x8x1024x64xf32>
}
transform.sequence  failures(propagate) {
^bb0(%arg0: !pdl.operation):
  %0 = transform.structured.match attributes {__root__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %stop = transform.structured.match attributes {__stop__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %transformed, %loops:2 = transform.structured.fuse_ext %0, %stop {tile_interchange = [], tile_sizes = [2, 4, 0, 0, 0]}
  cleanup
}

// CHECK-LABEL: func.func @multiquery_attention_with_prologue_proj(
// CHECK: %[[V0:[a-z0-9_]+]] = linalg.broadcast ins(%arg2 : tensor<512x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x512x64xf32>) dimensions = [0]
// CHECK: %[[V1:[a-z0-9_]+]] = linalg_ext.batch_matmul {__stop__} ins(%arg0, %[[V0]] : tensor<4x1024x512xf32>, tensor<4x512x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x1024x64xf32>) layout = "nn" -> tensor<4x1024x64xf32>
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.broadcast ins(%arg3 : tensor<512x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x512x64xf32>) dimensions = [0]
// CHECK: %[[V3:[a-z0-9_]+]] = linalg_ext.batch_matmul {__stop__} ins(%arg0, %[[V2]] : tensor<4x1024x512xf32>, tensor<4x512x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x1024x64xf32>) layout = "nn" -> tensor<4x1024x64xf32>
// CHECK: %[[V4:[a-z0-9_]+]] = scf.for %[[V5:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c4{{[_0-9]*}} step %c2{{[_0-9]*}} iter_args(%[[V6:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<4x8x1024x64xf32>) {
// CHECK: %[[V7:[a-z0-9_]+]] = scf.for %[[V8:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c8{{[_0-9]*}} step %c4{{[_0-9]*}} iter_args(%[[V9:[a-z0-9_]+]] = %[[V6]]) -> (tensor<4x8x1024x64xf32>) {
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.extract_slice %arg0[%[[V5]], 0, 0] [2, 1024, 512] [1, 1, 1] : tensor<4x1024x512xf32> to tensor<2x1024x512xf32>
// CHECK: %[[V11:[a-z0-9_]+]] = tensor.extract_slice %arg1[0, %{{[a-z0-9_]+}}] [512, 256] [1, 1] : tensor<512x512xf32> to tensor<512x256xf32>
// CHECK: %[[V12:[a-z0-9_]+]] = linalg.broadcast ins(%[[V11]] : tensor<512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x512x256xf32>) dimensions = [0]
// CHECK: %[[V13:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V10]], %[[V12]] : tensor<2x1024x512xf32>, tensor<2x512x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x1024x256xf32>) layout = "nn" -> tensor<2x1024x256xf32>
// CHECK: %[[V14:[a-z0-9_]+]] = tensor.expand_shape %[[V13]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 1024, 4, 64] : tensor<2x1024x256xf32> into tensor<2x1024x4x64xf32>
// CHECK: %[[V15:[a-z0-9_]+]] = linalg.transpose ins(%[[V14]] : tensor<2x1024x4x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) permutation = [0, 2, 1, 3]
// CHECK: %[[V16:[a-z0-9_]+]] = tensor.extract_slice %[[V1]][%[[V5]], 0, 0] [2, 1024, 64] [1, 1, 1] : tensor<4x1024x64xf32> to tensor<2x1024x64xf32>
// CHECK: %[[V17:[a-z0-9_]+]] = linalg.transpose ins(%[[V16]] : tensor<2x1024x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x64x1024xf32>) permutation = [0, 2, 1]
// CHECK: %[[V18:[a-z0-9_]+]] = linalg.broadcast ins(%[[V17]] : tensor<2x64x1024xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x64x1024xf32>) dimensions = [1]
// CHECK: %[[V19:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V15]], %[[V18]] : tensor<2x4x1024x64xf32>, tensor<2x4x64x1024xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x1024xf32>) layout = "nn" -> tensor<2x4x1024x1024xf32>
// CHECK: %[[V20:[a-z0-9_]+]]:4 = linalg_ext.softmax dimension(3) ins(%[[V19]] : tensor<2x4x1024x1024xf32>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<2x4x1024x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>) -> (tensor<2x4x1024x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32>)
// CHECK: %[[V21:[a-z0-9_]+]] = tensor.extract_slice %[[V3]][%[[V5]], 0, 0] [2, 1024, 64] [1, 1, 1] : tensor<4x1024x64xf32> to tensor<2x1024x64xf32>
// CHECK: %[[V22:[a-z0-9_]+]] = linalg.broadcast ins(%[[V21]] : tensor<2x1024x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) dimensions = [1]
// CHECK: %[[V23:[a-z0-9_]+]] = linalg_ext.batch_matmul {__root__} ins(%[[V20]]#0, %[[V22]] : tensor<2x4x1024x1024xf32>, tensor<2x4x1024x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x4x1024x64xf32>) layout = "nn" -> tensor<2x4x1024x64xf32>
// CHECK: %[[V24:[a-z0-9_]+]] = tensor.insert_slice %[[V23]] into %[[V9]][%[[V5]], %[[V8]], 0, 0] [2, 4, 1024, 64] [1, 1, 1, 1] : tensor<2x4x1024x64xf32> into tensor<4x8x1024x64xf32>
// CHECK: scf.yield %[[V24]] : tensor<4x8x1024x64xf32>
// CHECK: scf.yield %[[V7]] : tensor<4x8x1024x64xf32>
// CHECK: return %[[V4]] : tensor<4x8x1024x64xf32>
// CHECK-NOT: transform
