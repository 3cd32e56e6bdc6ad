// Attention of H heads whose queries, keys and values are projections of one input: B sequences of M tokens with W = H D
// features each.
func.func @projections(%input: tensor<@B@x@M@x@W@xf32>, %query_weight: tensor<@W@x@W@xf32>,
                       %key_weight: tensor<@W@x@W@xf32>, %value_weight: tensor<@W@x@W@xf32>)
    -> tensor<@B@x@H@x@M@x@D@xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
  %weight_empty = tensor.empty() : tensor<@B@x@W@x@W@xf32>
  %query_weights = linalg.broadcast ins(%query_weight : tensor<@W@x@W@xf32>)
      outs(%weight_empty : tensor<@B@x@W@x@W@xf32>) dimensions = [0]
  %key_weights = linalg.broadcast ins(%key_weight : tensor<@W@x@W@xf32>)
      outs(%weight_empty : tensor<@B@x@W@x@W@xf32>) dimensions = [0]
  %value_weights = linalg.broadcast ins(%value_weight : tensor<@W@x@W@xf32>)
      outs(%weight_empty : tensor<@B@x@W@x@W@xf32>) dimensions = [0]
  %flat_empty = tensor.empty() : tensor<@B@x@M@x@W@xf32>
  %flat_zero = linalg.fill ins(%zero : f32) outs(%flat_empty : tensor<@B@x@M@x@W@xf32>) -> tensor<@B@x@M@x@W@xf32>
  %query_flat = linalg.batch_matmul ins(%input, %query_weights : tensor<@B@x@M@x@W@xf32>, tensor<@B@x@W@x@W@xf32>)
      outs(%flat_zero : tensor<@B@x@M@x@W@xf32>) -> tensor<@B@x@M@x@W@xf32>
  %key_flat = linalg.batch_matmul ins(%input, %key_weights : tensor<@B@x@M@x@W@xf32>, tensor<@B@x@W@x@W@xf32>)
      outs(%flat_zero : tensor<@B@x@M@x@W@xf32>) -> tensor<@B@x@M@x@W@xf32>
  %value_flat = linalg.batch_matmul ins(%input, %value_weights : tensor<@B@x@M@x@W@xf32>, tensor<@B@x@W@x@W@xf32>)
      outs(%flat_zero : tensor<@B@x@M@x@W@xf32>) -> tensor<@B@x@M@x@W@xf32>
  %query_split = tensor.expand_shape %query_flat [[0], [1], [2, 3]] output_shape [@B@, @M@, @H@, @D@]
      : tensor<@B@x@M@x@W@xf32> into tensor<@B@x@M@x@H@x@D@xf32>
  %key_split = tensor.expand_shape %key_flat [[0], [1], [2, 3]] output_shape [@B@, @M@, @H@, @D@]
      : tensor<@B@x@M@x@W@xf32> into tensor<@B@x@M@x@H@x@D@xf32>
  %value_split = tensor.expand_shape %value_flat [[0], [1], [2, 3]] output_shape [@B@, @M@, @H@, @D@]
      : tensor<@B@x@M@x@W@xf32> into tensor<@B@x@M@x@H@x@D@xf32>
  %head_empty = tensor.empty() : tensor<@B@x@H@x@M@x@D@xf32>
  %key_empty = tensor.empty() : tensor<@B@x@H@x@D@x@M@xf32>
  %query = linalg.transpose ins(%query_split : tensor<@B@x@M@x@H@x@D@xf32>)
      outs(%head_empty : tensor<@B@x@H@x@M@x@D@xf32>) permutation = [0, 2, 1, 3]
  %key = linalg.transpose ins(%key_split : tensor<@B@x@M@x@H@x@D@xf32>)
      outs(%key_empty : tensor<@B@x@H@x@D@x@M@xf32>) permutation = [0, 2, 3, 1]
  %value = linalg.transpose ins(%value_split : tensor<@B@x@M@x@H@x@D@xf32>)
      outs(%head_empty : tensor<@B@x@H@x@M@x@D@xf32>) permutation = [0, 2, 1, 3]
  %scores_empty = tensor.empty() : tensor<@B@x@H@x@M@x@M@xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@B@x@H@x@M@x@M@xf32>)
      -> tensor<@B@x@H@x@M@x@M@xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<@B@x@H@x@M@x@D@xf32>, tensor<@B@x@H@x@D@x@M@xf32>)
      outs(%scores_zero : tensor<@B@x@H@x@M@x@M@xf32>) layout = "nn" -> tensor<@B@x@H@x@M@x@M@xf32>
  %scaled = linalg.map ins(%scores : tensor<@B@x@H@x@M@x@M@xf32>) outs(%scores_empty : tensor<@B@x@H@x@M@x@M@xf32>)
    (%score: f32) {
      %product = arith.mulf %score, %scale : f32
      linalg.yield %product : f32
    }
  %weights = linalg.softmax dimension(3) ins(%scaled : tensor<@B@x@H@x@M@x@M@xf32>)
      outs(%scores_empty : tensor<@B@x@H@x@M@x@M@xf32>) -> tensor<@B@x@H@x@M@x@M@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%head_empty : tensor<@B@x@H@x@M@x@D@xf32>)
      -> tensor<@B@x@H@x@M@x@D@xf32>
  %sums = linalg_ext.batch_matmul ins(%weights, %value : tensor<@B@x@H@x@M@x@M@xf32>, tensor<@B@x@H@x@M@x@D@xf32>)
      outs(%sums_zero : tensor<@B@x@H@x@M@x@D@xf32>) layout = "nn" -> tensor<@B@x@H@x@M@x@D@xf32>
  return %sums : tensor<@B@x@H@x@M@x@D@xf32>
}
