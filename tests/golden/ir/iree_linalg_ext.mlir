// Attention as one op. What upstream's region can say, a score's position included, ours can.
#query = affine_map<(batch, q, k, d, n) -> (batch, q, d)>
#key = affine_map<(batch, q, k, d, n) -> (batch, k, d)>
#value = affine_map<(batch, q, k, d, n) -> (batch, k, n)>
#scale = affine_map<(batch, q, k, d, n) -> ()>
#mask = affine_map<(batch, q, k, d, n) -> (q, k)>
#result = affine_map<(batch, q, k, d, n) -> (batch, q, n)>
#row = affine_map<(batch, q, k, d, n) -> (batch, q)>
func.func @attention(%query: tensor<2x40x8xf32>, %key: tensor<2x50x8xf32>, %value: tensor<2x50x6xf32>, %scale: f32, %mask: tensor<40x50xi1>) -> tensor<2x40x6xf32> {
  %out = tensor.empty() : tensor<2x40x6xf32>
  %result = iree_linalg_ext.attention <{indexing_maps = [#query, #key, #value, #scale, #mask, #result]}> ins(%query, %key, %value, %scale, %mask : tensor<2x40x8xf32>, tensor<2x50x8xf32>, tensor<2x50x6xf32>, f32, tensor<40x50xi1>) outs(%out : tensor<2x40x6xf32>) {
  ^bb0(%score: f32):
    %position = iree_linalg_ext.index 2 : index
    %number = arith.index_cast %position : index to i32
    %bias = arith.sitofp %number : i32 to f32
    %sum = arith.addf %score, %bias : f32
    iree_linalg_ext.yield %sum : f32
  } -> tensor<2x40x6xf32>
  return %result : tensor<2x40x6xf32>
}
func.func @online(%query: tensor<2x40x8xf32>, %key: tensor<2x50x8xf32>, %value: tensor<2x50x6xf32>, %scale: f32, %out: tensor<2x40x6xf32>, %max: tensor<2x40xf32>, %sum: tensor<2x40xf32>) -> (tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  %result:3 = iree_linalg_ext.online_attention <{indexing_maps = [#query, #key, #value, #scale, #result, #row, #row]}> ins(%query, %key, %value, %scale : tensor<2x40x8xf32>, tensor<2x50x8xf32>, tensor<2x50x6xf32>, f32) outs(%out, %max, %sum : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
  return %result#0, %result#1, %result#2 : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
}
