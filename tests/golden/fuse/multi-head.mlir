// RUN: tcc-attn opt %s --passes=transform | FileCheck %s
// Batch, keys and queries tiled; only the batch loop is labelled, as the key loop inside is sequential.
func.func @fuse_multihead_attention(%arg0: tensor<128x16x1024x32xf32>, %arg1: tensor<128x16x32x512xf32>, %arg2: tensor<128x16x512x32xf32>) -> tensor<128x16x1024x32xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<128x16x1024x512xf32>
  %1 = tensor.empty() : tensor<128x16x1024x32xf32>
  %2 = tensor.empty() : tensor<128x16x1024x512xf32>
  %3 = tensor.empty() : tensor<128x16x1024xf32>
  %4 = tensor.empty() : tensor<128x16x1024xf32>
  %5 = tensor.empty() : tensor<128x16x1024xf32>
  %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<128x16x1024xf32>) -> tensor<128x16x1024xf32>
  %7 = linalg.fill ins(%cst : f32) outs(%0 : tensor<128x16x1024x512xf32>) -> tensor<128x16x1024x512xf32>
  %8 = linalg.fill ins(%cst : f32) outs(%1 : tensor<128x16x1024x32xf32>) -> tensor<128x16x1024x32xf32>
  %9 = linalg.fill ins(%cst : f32) outs(%4 : tensor<128x16x1024xf32>) -> tensor<128x16x1024xf32>
  %10 = linalg_ext.batch_matmul ins(%arg0, %arg1 : tensor<128x16x1024x32xf32>, tensor<128x16x32x512xf32>) outs(%7 : tensor<128x16x1024x512xf32>) layout = "nn"
  %11:4 = linalg_ext.softmax dimension(3) ins(%10 : tensor<128x16x1024x512xf32>) outs(%2, %6, %9, %5 : tensor<128x16x1024x512xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>) : tensor<128x16x1024x512xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>
  %12 = linalg_ext.batch_matmul ins(%11#0, %arg2 : tensor<128x16x1024x512xf32>, tensor<128x16x512x32xf32>) outs(%8 : tensor<128x16x1024x32xf32>) layout = "nn"  {__root__}
  return %12 : tensor<128x16x1024x32xf32>
}


transform.sequence failures(propagate) {
^bb1(%arg1: !pdl.operation):
  %0 = transform.structured.match attributes{"__root__"} in %arg1 : (!pdl.operation) -> !pdl.operation
  %1, %loops:3 = transform.structured.fuse_ext %0 {tile_sizes = [2, 0, 8, 0, 4], tile_interchange = [0, 1, 4, 3, 2]}
  transform.structured.tile_loop_hint %1 : !pdl.operation
  cleanup
}

// CHECK-LABEL: func.func @fuse_multihead_attention(
// CHECK: %[[V0:[a-z0-9_]+]]:3 = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c128{{[_0-9]*}} step %c2{{[_0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V4:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>) {
// CHECK: %[[V5:[a-z0-9_]+]]:3 = scf.for %[[V6:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c512{{[_0-9]*}} step %c4{{[_0-9]*}} iter_args(%[[V7:[a-z0-9_]+]] = %[[V2]], %[[V8:[a-z0-9_]+]] = %[[V3]], %[[V9:[a-z0-9_]+]] = %[[V4]]) -> (tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>) {
// CHECK: %[[V10:[a-z0-9_]+]]:3 = scf.for %[[V11:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c1024{{[_0-9]*}} step %c8{{[_0-9]*}} iter_args(%[[V12:[a-z0-9_]+]] = %[[V7]], %[[V13:[a-z0-9_]+]] = %[[V8]], %[[V14:[a-z0-9_]+]] = %[[V9]]) -> (tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>) {
// CHECK: %[[V15:[a-z0-9_]+]] = tensor.extract_slice %arg0[%[[V1]], 0, %[[V11]], 0] [2, 16, 8, 32] [1, 1, 1, 1] : tensor<128x16x1024x32xf32> to tensor<2x16x8x32xf32>
// CHECK: %[[V16:[a-z0-9_]+]] = tensor.extract_slice %arg1[%[[V1]], 0, 0, %[[V6]]] [2, 16, 32, 4] [1, 1, 1, 1] : tensor<128x16x32x512xf32> to tensor<2x16x32x4xf32>
// CHECK: %[[V17:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V15]], %[[V16]] : tensor<2x16x8x32xf32>, tensor<2x16x32x4xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x16x8x4xf32>) layout = "nn" -> tensor<2x16x8x4xf32>
// CHECK: %[[V18:[a-z0-9_]+]] = tensor.extract_slice %[[V13]][%[[V1]], 0, %[[V11]]] [2, 16, 8] [1, 1, 1] : tensor<128x16x1024xf32> to tensor<2x16x8xf32>
// CHECK: %[[V19:[a-z0-9_]+]] = tensor.extract_slice %[[V14]][%[[V1]], 0, %[[V11]]] [2, 16, 8] [1, 1, 1] : tensor<128x16x1024xf32> to tensor<2x16x8xf32>
// CHECK: %[[V20:[a-z0-9_]+]]:4 = linalg_ext.softmax dimension(3) ins(%[[V17]] : tensor<2x16x8x4xf32>) outs(%{{[a-z0-9_]+}}, %[[V18]], %[[V19]], %{{[a-z0-9_]+}} : tensor<2x16x8x4xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> (tensor<2x16x8x4xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>)
// CHECK: %[[V21:[a-z0-9_]+]] = tensor.extract_slice %arg2[%[[V1]], 0, %[[V6]], 0] [2, 16, 4, 32] [1, 1, 1, 1] : tensor<128x16x512x32xf32> to tensor<2x16x4x32xf32>
// CHECK: %[[V22:[a-z0-9_]+]] = tensor.extract_slice %[[V12]][%[[V1]], 0, %[[V11]], 0] [2, 16, 8, 32] [1, 1, 1, 1] : tensor<128x16x1024x32xf32> to tensor<2x16x8x32xf32>
// CHECK: %[[V23:[a-z0-9_]+]] = linalg_ext.diag ins(%[[V20]]#3 : tensor<2x16x8xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
// CHECK: %[[V24:[a-z0-9_]+]] = linalg_ext.batch_matmul ins(%[[V23]], %[[V22]] : tensor<2x16x8x8xf32>, tensor<2x16x8x32xf32>) outs(%{{[a-z0-9_]+}} : tensor<2x16x8x32xf32>) layout = "nn" -> tensor<2x16x8x32xf32>
// CHECK: %[[V25:[a-z0-9_]+]] = linalg_ext.batch_matmul {__root__} ins(%[[V20]]#0, %[[V21]] : tensor<2x16x8x4xf32>, tensor<2x16x4x32xf32>) outs(%[[V24]] : tensor<2x16x8x32xf32>) layout = "nn" -> tensor<2x16x8x32xf32>
// CHECK: %[[V26:[a-z0-9_]+]] = tensor.insert_slice %[[V25]] into %[[V12]][%[[V1]], 0, %[[V11]], 0] [2, 16, 8, 32] [1, 1, 1, 1] : tensor<2x16x8x32xf32> into tensor<128x16x1024x32xf32>
// CHECK: %[[V27:[a-z0-9_]+]] = tensor.insert_slice %[[V20]]#1 into %[[V13]][%[[V1]], 0, %[[V11]]] [2, 16, 8] [1, 1, 1] : tensor<2x16x8xf32> into tensor<128x16x1024xf32>
// CHECK: %[[V28:[a-z0-9_]+]] = tensor.insert_slice %[[V20]]#2 into %[[V14]][%[[V1]], 0, %[[V11]]] [2, 16, 8] [1, 1, 1] : tensor<2x16x8xf32> into tensor<128x16x1024xf32>
// CHECK: scf.yield %[[V26]], %[[V27]], %[[V28]] : tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>
// CHECK: scf.yield %[[V10]]#0, %[[V10]]#1, %[[V10]]#2 : tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>
// CHECK: scf.yield %[[V5]]#0, %[[V5]]#1, %[[V5]]#2 : tensor<128x16x1024x32xf32>, tensor<128x16x1024xf32>, tensor<128x16x1024xf32>
// CHECK: } {__tec_parallel__}
// CHECK: return %[[V0]]#0 : tensor<128x16x1024x32xf32>
// CHECK-NOT: transform
