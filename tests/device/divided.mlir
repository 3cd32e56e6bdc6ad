// Attention of H heads of M queries, four of which in turn share one of B = H / 4 heads of keys and values: maps divide
// the head. With `causal`, and a slope for each head (ALiBi), from the head's index.
#query = affine_map<(h, m, n, d) -> (h, m, d)>
#key = affine_map<(h, m, n, d) -> (h floordiv 4, n, d)>
#score = affine_map<(h, m, n, d) -> (h, m, n)>
#weight = affine_map<(h, m, e, n) -> (h, m, n)>
#value = affine_map<(h, m, e, n) -> (h floordiv 4, n, e)>
#sum = affine_map<(h, m, e, n) -> (h, m, e)>
#identity = affine_map<(h, m, n) -> (h, m, n)>
func.func @attention(%query: tensor<@H@x@M@x@D@x@T@>, %key: tensor<@B@x@N@x@D@x@T@>,
    %value: tensor<@B@x@N@x@E@x@T@>) -> tensor<@H@x@M@x@E@xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %slope = arith.constant 0.015625 : f32
  %scores_empty = tensor.empty() : tensor<@H@x@M@x@N@xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@H@x@M@x@N@xf32>)
      -> tensor<@H@x@M@x@N@xf32>
  %products = linalg.generic {indexing_maps = [#query, #key, #score],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %key : tensor<@H@x@M@x@D@x@T@>, tensor<@B@x@N@x@D@x@T@>)
      outs(%scores_zero : tensor<@H@x@M@x@N@xf32>) {
?narrow  ^bb0(%narrow_left: @T@, %narrow_right: @T@, %sum: f32):
?narrow    %left = arith.extf %narrow_left : @T@ to f32
?narrow    %right = arith.extf %narrow_right : @T@ to f32
!narrow  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %total = arith.addf %sum, %product : f32
    linalg.yield %total : f32
  } -> tensor<@H@x@M@x@N@xf32>
  %scores = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<@H@x@M@x@N@xf32>) outs(%scores_empty : tensor<@H@x@M@x@N@xf32>) {
  ^bb0(%product: f32, %unused: f32):
!causal    %score = arith.mulf %product, %scale : f32
?causal    %scaled = arith.mulf %product, %scale : f32
?causal    %h = linalg.index 0 : index
?causal    %m = linalg.index 1 : index
?causal    %n = linalg.index 2 : index
?causal    %distance = arith.subi %n, %m : index
?causal    %steps = arith.muli %distance, %h : index
?causal    %steps_integer = arith.index_cast %steps : index to i32
?causal    %steps_number = arith.sitofp %steps_integer : i32 to f32
?causal    %bias = arith.mulf %steps_number, %slope : f32
?causal    %biased = arith.addf %scaled, %bias : f32
?causal    %seen = arith.cmpi ule, %n, %m : index
?causal    %score = arith.select %seen, %biased, %minus_infinity : f32
    linalg.yield %score : f32
  } -> tensor<@H@x@M@x@N@xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<@H@x@M@x@N@xf32>)
      outs(%scores_empty : tensor<@H@x@M@x@N@xf32>) -> tensor<@H@x@M@x@N@xf32>
?narrow  %narrow_empty = tensor.empty() : tensor<@H@x@M@x@N@x@T@>
?narrow  %narrow = linalg.map ins(%weights : tensor<@H@x@M@x@N@xf32>) outs(%narrow_empty : tensor<@H@x@M@x@N@x@T@>)
?narrow    (%weight: f32) {
?narrow      %rounded = arith.truncf %weight : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
  %sums_empty = tensor.empty() : tensor<@H@x@M@x@E@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<@H@x@M@x@E@xf32>) -> tensor<@H@x@M@x@E@xf32>
  %sums = linalg.generic {indexing_maps = [#weight, #value, #sum],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
?narrow      ins(%narrow, %value : tensor<@H@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
!narrow      ins(%weights, %value : tensor<@H@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
      outs(%sums_zero : tensor<@H@x@M@x@E@xf32>) {
?narrow  ^bb0(%narrow_left: @T@, %narrow_right: @T@, %sum: f32):
?narrow    %left = arith.extf %narrow_left : @T@ to f32
?narrow    %right = arith.extf %narrow_right : @T@ to f32
!narrow  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %total = arith.addf %sum, %product : f32
    linalg.yield %total : f32
  } -> tensor<@H@x@M@x@E@xf32>
  return %sums : tensor<@H@x@M@x@E@xf32>
}
