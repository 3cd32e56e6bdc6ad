// Attention: softmax(f(query key^T / sqrt(D))) value, B batches or heads, M queries, N keys of D features, values of E.
// Template of the conformance suite: a line that starts with ?WORD is only for cases with that word, !WORD for those without.
func.func @attention(
?mask  %mask: tensor<@M@x@N@xi1>,
?bias  %bias: tensor<@B@x@M@x@N@xf32>,
?relative  %offsets: tensor<512xf32>,
    %query: tensor<@B@x@M@x@D@x@T@>, %key: tensor<@B@x@N@x@D@x@T@>, %value: tensor<@B@x@N@x@E@x@T@>)
    -> tensor<@B@x@M@x@E@x@T@> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant @SCALE@ : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %key_empty = tensor.empty() : tensor<@B@x@D@x@N@x@T@>
  %key_transposed = linalg.transpose ins(%key : tensor<@B@x@N@x@D@x@T@>) outs(%key_empty : tensor<@B@x@D@x@N@x@T@>)
      permutation = [0, 2, 1]
  %scores_empty = tensor.empty() : tensor<@B@x@M@x@N@xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<@B@x@M@x@N@xf32>)
      -> tensor<@B@x@M@x@N@xf32>
  %products = linalg.batch_matmul
      ins(%query, %key_transposed : tensor<@B@x@M@x@D@x@T@>, tensor<@B@x@D@x@N@x@T@>)
      outs(%scores_zero : tensor<@B@x@M@x@N@xf32>) -> tensor<@B@x@M@x@N@xf32>
  %scores = linalg.generic {
      indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>,
?mask                  affine_map<(b, m, n) -> (m, n)>,
?bias                  affine_map<(b, m, n) -> (b, m, n)>,
                       affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products
?mask     , %mask
?bias     , %bias
          : tensor<@B@x@M@x@N@xf32>
?mask     , tensor<@M@x@N@xi1>
?bias     , tensor<@B@x@M@x@N@xf32>
          ) outs(%scores_empty : tensor<@B@x@M@x@N@xf32>) {
  ^bb0(%product: f32,
?mask     %seen: i1,
?bias     %offset: f32,
          %unused: f32):
?plain    %score = arith.mulf %product, %scale : f32
!plain    %scaled = arith.mulf %product, %scale : f32
?softcap    %cap = arith.constant 5.0 : f32
?softcap    %ratio = arith.divf %scaled, %cap : f32
?softcap    %bounded = math.tanh %ratio : f32
?softcap    %score = arith.mulf %bounded, %cap : f32
?bias    %score = arith.addf %scaled, %offset : f32
?mask    %score = arith.select %seen, %scaled, %minus_infinity : f32
?relative    %m = linalg.index 1 : index
?relative    %n = linalg.index 2 : index
?relative    %middle = arith.constant 256 : index
?relative    %ahead = arith.addi %n, %middle : index
?relative    %distance = arith.subi %ahead, %m : index
?relative    %offset = tensor.extract %offsets[%distance] : tensor<512xf32>
?relative    %score = arith.addf %scaled, %offset : f32
?causal    %m = linalg.index 1 : index
?causal    %n = linalg.index 2 : index
?causal    %seen = arith.cmpi ule, %n, %m : index
?causal    %score = arith.select %seen, %scaled, %minus_infinity : f32
?window    %m = linalg.index 1 : index
?window    %n = linalg.index 2 : index
?window    %width = arith.constant 24 : index
?window    %end = arith.addi %n, %width : index
?window    %begun = arith.cmpi sle, %n, %m : index
?window    %lasts = arith.cmpi sgt, %end, %m : index
?window    %seen = arith.andi %begun, %lasts : i1
?window    %score = arith.select %seen, %scaled, %minus_infinity : f32
    linalg.yield %score : f32
  } -> tensor<@B@x@M@x@N@xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<@B@x@M@x@N@xf32>)
      outs(%scores_empty : tensor<@B@x@M@x@N@xf32>) -> tensor<@B@x@M@x@N@xf32>
?narrow  %narrow_empty = tensor.empty() : tensor<@B@x@M@x@N@x@T@>
?narrow  %narrow = linalg.map ins(%weights : tensor<@B@x@M@x@N@xf32>) outs(%narrow_empty : tensor<@B@x@M@x@N@x@T@>)
?narrow    (%weight: f32) {
?narrow      %rounded = arith.truncf %weight : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
  %sums_empty = tensor.empty() : tensor<@B@x@M@x@E@xf32>
  %sums_zero = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
  %sums = linalg.batch_matmul
?narrow      ins(%narrow, %value : tensor<@B@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
!narrow      ins(%weights, %value : tensor<@B@x@M@x@N@x@T@>, tensor<@B@x@N@x@E@x@T@>)
      outs(%sums_zero : tensor<@B@x@M@x@E@xf32>) -> tensor<@B@x@M@x@E@xf32>
?narrow  %result_empty = tensor.empty() : tensor<@B@x@M@x@E@x@T@>
?narrow  %result = linalg.map ins(%sums : tensor<@B@x@M@x@E@xf32>) outs(%result_empty : tensor<@B@x@M@x@E@x@T@>)
?narrow    (%sum: f32) {
?narrow      %rounded = arith.truncf %sum : f32 to @T@
?narrow      linalg.yield %rounded : @T@
?narrow    }
?narrow  return %result : tensor<@B@x@M@x@E@x@T@>
!narrow  return %sums : tensor<@B@x@M@x@E@x@T@>
}
