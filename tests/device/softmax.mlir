// Softmax over the rows, in f32, of values in any type; doubled first, so that it is sharp.
func.func @softmax(%input: tensor<@M@x@N@x@T@>) -> tensor<@M@x@N@xf32> {
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %wide = linalg.map ins(%input : tensor<@M@x@N@x@T@>) outs(%empty : tensor<@M@x@N@xf32>)
    (%element: @T@) {
      %two = arith.constant 2.0 : f32
?narrow      %extended = arith.extf %element : @T@ to f32
?narrow      %doubled = arith.mulf %extended, %two : f32
!narrow      %doubled = arith.mulf %element, %two : f32
      linalg.yield %doubled : f32
    }
  %result = linalg.softmax dimension(1) ins(%wide : tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>)
      -> tensor<@M@x@N@xf32>
  return %result : tensor<@M@x@N@xf32>
}
