// RUN: tcc-attn opt %s --passes=transform | FileCheck %s
// RUN: tcc-attn run %s --random --check
// The reduction loop is the outer one: max, sum and output live across it.
func.func @dot_attention(%arg0: tensor<1024x32xf32>, %arg1: tensor<32x512xf32>, %arg2: tensor<512x32xf32>) -> tensor<1024x32xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<1024x512xf32>
  %1 = tensor.empty() : tensor<1024x32xf32>
  %2 = tensor.empty() : tensor<1024x512xf32>
  %3 = tensor.empty() : tensor<1024xf32>
  %4 = tensor.empty() : tensor<1024xf32>
  %5 = tensor.empty() : tensor<1024xf32>
  %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<1024xf32>) -> tensor<1024xf32>
  %7 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %8 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1024x32xf32>) -> tensor<1024x32xf32>
  %9 = linalg.fill ins(%cst : f32) outs(%4 : tensor<1024xf32>) -> tensor<1024xf32>
  %10 = linalg.matmul ins(%arg0, %arg1 : tensor<1024x32xf32>, tensor<32x512xf32>) outs(%7 : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %11:4 = linalg_ext.softmax dimension(1) ins(%10 : tensor<1024x512xf32>) outs(%2, %6, %9, %5 : tensor<1024x512xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) : tensor<1024x512xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  %12 = linalg.matmul {__root__} ins(%11#0, %arg2 : tensor<1024x512xf32>, tensor<512x32xf32>) outs(%8 : tensor<1024x32xf32>) -> tensor<1024x32xf32>
  return %12 : tensor<1024x32xf32>
}


transform.sequence failures(propagate) {
^bb0(%arg0: !pdl.operation):
  %0 = transform.structured.match attributes {__root__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %1, %loops:2 = transform.structured.fuse_ext %0 {tile_interchange = [2, 1, 0], tile_sizes = [4, 0, 8]}
  cleanup
}

// CHECK-LABEL: func.func @dot_attention(
// CHECK: %[[V0:[a-z0-9_]+]]:3 = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c512{{[_0-9]*}} step %c8{{[_0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V4:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<1024x32xf32>, tensor<1024xf32>, tensor<1024xf32>) {
// CHECK: %[[V5:[a-z0-9_]+]]:3 = scf.for %[[V6:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c1024{{[_0-9]*}} step %c4{{[_0-9]*}} iter_args(%[[V7:[a-z0-9_]+]] = %[[V2]], %[[V8:[a-z0-9_]+]] = %[[V3]], %[[V9:[a-z0-9_]+]] = %[[V4]]) -> (tensor<1024x32xf32>, tensor<1024xf32>, tensor<1024xf32>) {
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.extract_slice %arg0[%[[V6]], 0] [4, 32] [1, 1] : tensor<1024x32xf32> to tensor<4x32xf32>
// CHECK: %[[V11:[a-z0-9_]+]] = tensor.extract_slice %arg1[0, %[[V1]]] [32, 8] [1, 1] : tensor<32x512xf32> to tensor<32x8xf32>
// CHECK: %[[V12:[a-z0-9_]+]] = linalg.matmul ins(%[[V10]], %[[V11]] : tensor<4x32xf32>, tensor<32x8xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: %[[V13:[a-z0-9_]+]] = tensor.extract_slice %[[V8]][%[[V6]]] [4] [1] : tensor<1024xf32> to tensor<4xf32>
// CHECK: %[[V14:[a-z0-9_]+]] = tensor.extract_slice %[[V9]][%[[V6]]] [4] [1] : tensor<1024xf32> to tensor<4xf32>
// CHECK: %[[V15:[a-z0-9_]+]]:4 = linalg_ext.softmax dimension(1) ins(%[[V12]] : tensor<4x8xf32>) outs(%{{[a-z0-9_]+}}, %[[V13]], %[[V14]], %{{[a-z0-9_]+}} : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[V16:[a-z0-9_]+]] = tensor.extract_slice %arg2[%[[V1]], 0] [8, 32] [1, 1] : tensor<512x32xf32> to tensor<8x32xf32>
// CHECK: %[[V17:[a-z0-9_]+]] = tensor.extract_slice %[[V7]][%[[V6]], 0] [4, 32] [1, 1] : tensor<1024x32xf32> to tensor<4x32xf32>
// CHECK: %[[V18:[a-z0-9_]+]] = linalg_ext.diag ins(%[[V15]]#3 : tensor<4xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[V19:[a-z0-9_]+]] = linalg.matmul ins(%[[V18]], %[[V17]] : tensor<4x4xf32>, tensor<4x32xf32>) outs(%{{[a-z0-9_]+}} : tensor<4x32xf32>) -> tensor<4x32xf32>
// CHECK: %[[V20:[a-z0-9_]+]] = linalg.matmul {__root__} ins(%[[V15]]#0, %[[V16]] : tensor<4x8xf32>, tensor<8x32xf32>) outs(%[[V19]] : tensor<4x32xf32>) -> tensor<4x32xf32>
// CHECK: %[[V21:[a-z0-9_]+]] = tensor.insert_slice %[[V20]] into %[[V7]][%[[V6]], 0] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<1024x32xf32>
// CHECK: %[[V22:[a-z0-9_]+]] = tensor.insert_slice %[[V15]]#1 into %[[V8]][%[[V6]]] [4] [1] : tensor<4xf32> into tensor<1024xf32>
// CHECK: %[[V23:[a-z0-9_]+]] = tensor.insert_slice %[[V15]]#2 into %[[V9]][%[[V6]]] [4] [1] : tensor<4xf32> into tensor<1024xf32>
// CHECK: scf.yield %[[V21]], %[[V22]], %[[V23]] : tensor<1024x32xf32>, tensor<1024xf32>, tensor<1024xf32>
// CHECK: scf.yield %[[V5]]#0, %[[V5]]#1, %[[V5]]#2 : tensor<1024x32xf32>, tensor<1024xf32>, tensor<1024xf32>
// CHECK: return %[[V0]]#0 : tensor<1024x32xf32>
// CHECK-NOT: transform
