// Causal attention without softmax: squares of scores, those of later keys 0, times value. M queries and N keys of D
// features, B batches or heads, values of E. With `sum`, divided by the sum of a row's weights and 1.
#all = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
func.func @attention(%query: tensor<@B@x@M@x@D@x@T@>, %key: tensor<@B@x@N@x@D@x@T@>, %value: tensor<@B@x@N@x@E@x@T@>)
    -> tensor<@B@x@M@x@E@xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
  %scores_empty = tensor.empty() : tensor<@B@x@M@x@N@xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@B@x@M@x@N@xf32>)
      -> tensor<@B@x@M@x@N@xf32>
  %products = linalg.generic {
      indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>,
                       affine_map<(b, m, n, d) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %key : tensor<@B@x@M@x@D@x@T@>, tensor<@B@x@N@x@D@x@T@>)
      outs(%scores_zero : tensor<@B@x@M@x@N@xf32>) {
?narrow  ^bb0(%narrow_left: @T@, %narrow_right: @T@, %sum: f32):
?narrow    %left = arith.extf %narrow_left : @T@ to f32
?narrow    %right = arith.extf %narrow_right : @T@ to f32
!narrow  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %total = arith.addf %sum, %product : f32
    linalg.yield %total : f32
  } -> tensor<@B@x@M@x@N@xf32>
  %weights = linalg.map ins(%products : tensor<@B@x@M@x@N@xf32>) outs(%scores_empty : tensor<@B@x@M@x@N@xf32>)
    (%product: f32, %unused: f32) {
      %m = linalg.index 1 : index
      %n = linalg.index 2 : index
      %seen = arith.cmpi ule, %n, %m : index
      %score = arith.mulf %product, %scale : f32
      %square = arith.mulf %score, %score : f32
      %weight = arith.select %seen, %square, %zero : f32
      linalg.yield %weight : f32
    }
?narrow  %narrow_empty = tensor.empty() : tensor<@B@x@M@x@N@x@T@>
?narrow  %narrow = linalg.map ins(%weights : tensor<@B@x@M@x@N@xf32>) outs(%narrow_empty : tensor<@B@x@M@x@N@x@T@>)
?narrow    (%weight: f32, %unused: @T@) {
?narrow      %rounded = arith.truncf %weight : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
  %sums_empty = tensor.empty() : tensor<@B@x@M@x@E@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
  %sums = linalg.batch_matmul
?narrow      ins(%narrow, %value : tensor<@B@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
!narrow      ins(%weights, %value : tensor<@B@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
      outs(%sums_zero : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
!sum  return %sums : tensor<@B@x@M@x@E@xf32>
?sum  %rows_empty = tensor.empty() : tensor<@B@x@M@xf32>
?sum  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<@B@x@M@xf32>) -> tensor<@B@x@M@xf32>
?sum  %rows = linalg.reduce { arith.addf } ins(%weights : tensor<@B@x@M@x@N@xf32>)
?sum      outs(%rows_zero : tensor<@B@x@M@xf32>) dimensions = [2]
?sum  %result = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
?sum      ins(%sums, %rows : tensor<@B@x@M@x@E@xf32>, tensor<@B@x@M@xf32>) outs(%sums_empty : tensor<@B@x@M@x@E@xf32>) {
?sum  ^bb0(%sum: f32, %row: f32, %unused: f32):
?sum    %one = arith.constant 1.0 : f32
?sum    %norm = arith.addf %row, %one : f32
?sum    %quotient = arith.divf %sum, %norm : f32
?sum    linalg.yield %quotient : f32
?sum  } -> tensor<@B@x@M@x@E@xf32>
?sum  return %result : tensor<@B@x@M@x@E@xf32>
}
