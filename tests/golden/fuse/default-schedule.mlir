// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify --target=host:znver4 | FileCheck %s
// Heads and queries in parallel, keys in sequence inside; state and output of the inner loop are tile-sized.
func.func @attention(%query: tensor<8x1024x64xf32>, %key: tensor<8x1024x64xf32>, %value: tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<8x64x1024xf32>
  %t = linalg.transpose ins(%key : tensor<8x1024x64xf32>) outs(%a : tensor<8x64x1024xf32>) permutation = [0, 2, 1]
  %b = tensor.empty() : tensor<8x1024x1024xf32>
  %c = linalg.fill ins(%zero : f32) outs(%b : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %s = linalg.batch_matmul ins(%query, %t : tensor<8x1024x64xf32>, tensor<8x64x1024xf32>) outs(%c : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<8x1024x1024xf32>) outs(%b : tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %d = tensor.empty() : tensor<8x1024x64xf32>
  %e = linalg.fill ins(%zero : f32) outs(%d : tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  %r = linalg.batch_matmul ins(%p, %value : tensor<8x1024x1024xf32>, tensor<8x1024x64xf32>) outs(%e : tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  return %r : tensor<8x1024x64xf32>
}

// CHECK-LABEL: func.func @attention(
// CHECK: %[[V0:[a-z0-9_]+]] = scf.forall (%[[V1:[a-z0-9_]+]], %[[V2:[a-z0-9_]+]]) = (0, 0) to (8, 1024) step (1, [[ROWS:[0-9]+]]) shared_outs(%[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<8x1024x64xf32>) {
// CHECK: %[[V4:[a-z0-9_]+]] = tensor.extract_slice %arg0[%[[V1]], %[[V2]], 0] [1, 64, 64] [1, 1, 1] : tensor<8x1024x64xf32> to tensor<1x64x64xf32>
// CHECK: %[[V5:[a-z0-9_]+]]:3 = scf.for %[[V6:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c1024{{[_0-9]*}} step %c256{{[_0-9]*}} iter_args(%[[V7:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V8:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V9:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<1x64x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) {
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.extract_slice %arg1[%[[V1]], %[[V6]], 0] [1, 256, 64] [1, 1, 1] : tensor<8x1024x64xf32> to tensor<1x256x64xf32>
// CHECK: %[[V11:[a-z0-9_]+]] = linalg.transpose ins(%[[V10]] : tensor<1x256x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<1x64x256xf32>) permutation = [0, 2, 1]
// CHECK: %[[V12:[a-z0-9_]+]] = linalg.batch_matmul ins(%[[V4]], %[[V11]] : tensor<1x64x64xf32>, tensor<1x64x256xf32>) outs(%{{[a-z0-9_]+}} : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
// CHECK: %[[V13:[a-z0-9_]+]]:4 = linalg_ext.softmax dimension(2) ins(%[[V12]] : tensor<1x64x256xf32>) outs(%{{[a-z0-9_]+}}, %[[V8]], %[[V9]], %{{[a-z0-9_]+}} : tensor<1x64x256xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> (tensor<1x64x256xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>)
// CHECK: %[[V14:[a-z0-9_]+]] = tensor.extract_slice %arg2[%[[V1]], %[[V6]], 0] [1, 256, 64] [1, 1, 1] : tensor<8x1024x64xf32> to tensor<1x256x64xf32>
// CHECK: %[[V15:[a-z0-9_]+]] = linalg_ext.diag ins(%[[V13]]#3 : tensor<1x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
// CHECK: %[[V16:[a-z0-9_]+]] = linalg.batch_matmul ins(%[[V15]], %[[V7]] : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%{{[a-z0-9_]+}} : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
// CHECK: %[[V17:[a-z0-9_]+]] = linalg.batch_matmul ins(%[[V13]]#0, %[[V14]] : tensor<1x64x256xf32>, tensor<1x256x64xf32>) outs(%[[V16]] : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
// CHECK: scf.yield %[[V17]], %[[V13]]#1, %[[V13]]#2 : tensor<1x64x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>
// CHECK: scf.forall.in_parallel {
// CHECK: tensor.parallel_insert_slice %[[V5]]#0 into %[[V3]][%[[V1]], %[[V2]], 0] [1, 64, 64] [1, 1, 1] : tensor<1x64x64xf32> into tensor<8x1024x64xf32>
// CHECK: return %[[V0]] : tensor<8x1024x64xf32>
// CHECK-NOT: 1024x1024
