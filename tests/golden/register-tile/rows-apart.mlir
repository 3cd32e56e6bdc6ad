// Keys and values of many heads lie side by side, so that rows of a head are on pages of their own: from memory they are
// asked for from a step ahead, not from near by, also where they are widened. What the last cache holds is read as before.
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --dump=register-tile -o /dev/null 2>&1 | FileCheck %s

#query = affine_map<(b, h, q, k, d) -> (b, q, h, d)>
#key = affine_map<(b, h, q, k, d) -> (b, k, h, d)>
#score = affine_map<(b, h, q, k, d) -> (b, h, q, k)>

// CHECK-LABEL: func.func @from_memory(
// CHECK: vector.transfer_read {{.*}} tec.prefetch = array<i64: 0, 16, 0, 0>} : memref<1x16x1x128xbf16
// CHECK: vector.transfer_read {{.*}} tec.prefetch = array<i64: 0, 16, 0, 0>} : memref<1x16x1x128xbf16
func.func @from_memory(%query: tensor<1x1x32x128xbf16>, %key: tensor<1x2048x32x128xbf16>, %value: tensor<1x2048x32x128xbf16>)
    -> tensor<1x1x32x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x1x2048xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x1x2048xf32>) -> tensor<1x32x1x2048xf32>
  %scores = linalg.contract indexing_maps = [#query, #key, #score]
      ins(%query, %key : tensor<1x1x32x128xbf16>, tensor<1x2048x32x128xbf16>) outs(%s0 : tensor<1x32x1x2048xf32>)
      -> tensor<1x32x1x2048xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<1x32x1x2048xf32>) outs(%e : tensor<1x32x1x2048xf32>)
      -> tensor<1x32x1x2048xf32>
  %narrow = arith.truncf %weights : tensor<1x32x1x2048xf32> to tensor<1x32x1x2048xbf16>
  %re = tensor.empty() : tensor<1x1x32x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<1x1x32x128xf32>) -> tensor<1x1x32x128xf32>
  %result = linalg.contract indexing_maps = [#score, #key, #query]
      ins(%narrow, %value : tensor<1x32x1x2048xbf16>, tensor<1x2048x32x128xbf16>) outs(%r0 : tensor<1x1x32x128xf32>)
      -> tensor<1x1x32x128xf32>
  return %result : tensor<1x1x32x128xf32>
}

// CHECK-LABEL: func.func @from_cache(
// CHECK: vector.transfer_read {{.*}} tec.prefetch = array<i64: 0, 8, 0, 0>} : memref<1x128x1x128xf32
// CHECK: vector.transfer_read {{.*}} tec.prefetch = array<i64: 0, 8, 0, 0>} : memref<1x128x1x128xf32
func.func @from_cache(%query: tensor<1x1x32x128xf32>, %key: tensor<1x256x32x128xf32>, %value: tensor<1x256x32x128xf32>)
    -> tensor<1x1x32x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x1x256xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x1x256xf32>) -> tensor<1x32x1x256xf32>
  %scores = linalg.contract indexing_maps = [#query, #key, #score]
      ins(%query, %key : tensor<1x1x32x128xf32>, tensor<1x256x32x128xf32>) outs(%s0 : tensor<1x32x1x256xf32>)
      -> tensor<1x32x1x256xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<1x32x1x256xf32>) outs(%e : tensor<1x32x1x256xf32>)
      -> tensor<1x32x1x256xf32>
  %re = tensor.empty() : tensor<1x1x32x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<1x1x32x128xf32>) -> tensor<1x1x32x128xf32>
  %result = linalg.contract indexing_maps = [#score, #key, #query]
      ins(%weights, %value : tensor<1x32x1x256xf32>, tensor<1x256x32x128xf32>) outs(%r0 : tensor<1x1x32x128xf32>)
      -> tensor<1x1x32x128xf32>
  return %result : tensor<1x1x32x128xf32>
}
