// Attention of a known number of queries, as of one, on a cache of keys: how many there are is known only when it is called.
func.func @attention(%query: tensor<@B@x@M@x@D@x@T@>, %key: tensor<@B@x?x@D@x@T@>, %value: tensor<@B@x?x@E@x@T@>)
    -> tensor<@B@x@M@x@E@xf32> {
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
  %n = tensor.dim %key, %one : tensor<@B@x?x@D@x@T@>
  %key_empty = tensor.empty(%n) : tensor<@B@x@D@x?x@T@>
  %key_transposed = linalg.transpose ins(%key : tensor<@B@x?x@D@x@T@>) outs(%key_empty : tensor<@B@x@D@x?x@T@>)
      permutation = [0, 2, 1]
  %scores_empty = tensor.empty(%n) : tensor<@B@x@M@x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@B@x@M@x?xf32>) -> tensor<@B@x@M@x?xf32>
  %scores = linalg.batch_matmul ins(%query, %key_transposed : tensor<@B@x@M@x@D@x@T@>, tensor<@B@x@D@x?x@T@>)
      outs(%scores_zero : tensor<@B@x@M@x?xf32>) -> tensor<@B@x@M@x?xf32>
  %scaled = linalg.map ins(%scores : tensor<@B@x@M@x?xf32>) outs(%scores_empty : tensor<@B@x@M@x?xf32>)
    (%score: f32) {
      %product = arith.mulf %score, %scale : f32
      linalg.yield %product : f32
    }
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<@B@x@M@x?xf32>)
      outs(%scores_empty : tensor<@B@x@M@x?xf32>) -> tensor<@B@x@M@x?xf32>
?narrow  %narrow_empty = tensor.empty(%n) : tensor<@B@x@M@x?x@T@>
?narrow  %narrow = linalg.map ins(%weights : tensor<@B@x@M@x?xf32>) outs(%narrow_empty : tensor<@B@x@M@x?x@T@>)
?narrow    (%weight: f32) {
?narrow      %rounded = arith.truncf %weight : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
  %sums_empty = tensor.empty() : tensor<@B@x@M@x@E@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
  %sums = linalg.batch_matmul
?narrow      ins(%narrow, %value : tensor<@B@x@M@x?x@T@>, tensor<@B@x?x@E@x@T@>)
!narrow      ins(%weights, %value : tensor<@B@x@M@x?x@T@>, tensor<@B@x?x@E@x@T@>)
      outs(%sums_zero : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
  return %sums : tensor<@B@x@M@x@E@xf32>
}
