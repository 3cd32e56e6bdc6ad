// Attention with batches and heads, keys stored transposed; with `gqa` the heads share one head of keys and values.
func.func @attention(%query: tensor<@B@x@H@x@M@x@D@x@T@>,
!gqa    %key: tensor<@B@x@H@x@D@x@N@x@T@>, %value: tensor<@B@x@H@x@N@x@E@x@T@>
?gqa    %shared_key: tensor<@B@x@D@x@N@x@T@>, %shared_value: tensor<@B@x@N@x@E@x@T@>
    ) -> tensor<@B@x@H@x@M@x@E@xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
?gqa  %key_empty = tensor.empty() : tensor<@B@x@H@x@D@x@N@x@T@>
?gqa  %key = linalg.broadcast ins(%shared_key : tensor<@B@x@D@x@N@x@T@>)
?gqa      outs(%key_empty : tensor<@B@x@H@x@D@x@N@x@T@>) dimensions = [1]
?gqa  %value_empty = tensor.empty() : tensor<@B@x@H@x@N@x@E@x@T@>
?gqa  %value = linalg.broadcast ins(%shared_value : tensor<@B@x@N@x@E@x@T@>)
?gqa      outs(%value_empty : tensor<@B@x@H@x@N@x@E@x@T@>) dimensions = [1]
  %scores_empty = tensor.empty() : tensor<@B@x@H@x@M@x@N@xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@B@x@H@x@M@x@N@xf32>)
      -> tensor<@B@x@H@x@M@x@N@xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<@B@x@H@x@M@x@D@x@T@>, tensor<@B@x@H@x@D@x@N@x@T@>)
      outs(%scores_zero : tensor<@B@x@H@x@M@x@N@xf32>) layout = "nn" -> tensor<@B@x@H@x@M@x@N@xf32>
  %scaled = linalg.map ins(%scores : tensor<@B@x@H@x@M@x@N@xf32>) outs(%scores_empty : tensor<@B@x@H@x@M@x@N@xf32>)
    (%score: f32) {
      %product = arith.mulf %score, %scale : f32
      linalg.yield %product : f32
    }
  %weights = linalg.softmax dimension(3) ins(%scaled : tensor<@B@x@H@x@M@x@N@xf32>)
      outs(%scores_empty : tensor<@B@x@H@x@M@x@N@xf32>) -> tensor<@B@x@H@x@M@x@N@xf32>
?narrow  %narrow_empty = tensor.empty() : tensor<@B@x@H@x@M@x@N@x@T@>
?narrow  %narrow = linalg.map ins(%weights : tensor<@B@x@H@x@M@x@N@xf32>)
?narrow    outs(%narrow_empty : tensor<@B@x@H@x@M@x@N@x@T@>)
?narrow    (%weight: f32) {
?narrow      %rounded = arith.truncf %weight : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
  %sums_empty = tensor.empty() : tensor<@B@x@H@x@M@x@E@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<@B@x@H@x@M@x@E@xf32>)
      -> tensor<@B@x@H@x@M@x@E@xf32>
  %sums = linalg_ext.batch_matmul
?narrow      ins(%narrow, %value : tensor<@B@x@H@x@M@x@N@x@T@>, tensor<@B@x@H@x@N@x@E@x@T@>)
!narrow      ins(%weights, %value : tensor<@B@x@H@x@M@x@N@x@T@>, tensor<@B@x@H@x@N@x@E@x@T@>)
      outs(%sums_zero : tensor<@B@x@H@x@M@x@E@xf32>) layout = "nn" -> tensor<@B@x@H@x@M@x@E@xf32>
  return %sums : tensor<@B@x@H@x@M@x@E@xf32>
}
