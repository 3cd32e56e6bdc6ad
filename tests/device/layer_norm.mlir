// Layer normalisation of rows: (x - mean) / sqrt(variance + epsilon) * weight + bias.
func.func @layer_norm(%input: tensor<@M@x@N@xf32>, %weight: tensor<@N@xf32>, %bias: tensor<@N@xf32>)
    -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<@M@xf32>
  %row_zero = linalg.fill ins(%zero : f32) outs(%row : tensor<@M@xf32>) -> tensor<@M@xf32>
  %sums = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<@M@x@N@xf32>) outs(%row_zero : tensor<@M@xf32>) {
  ^bb0(%element: f32, %sum: f32):
    %next = arith.addf %sum, %element : f32
    linalg.yield %next : f32
  } -> tensor<@M@xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%input, %sums : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%row_zero : tensor<@M@xf32>) {
  ^bb0(%element: f32, %row_sum: f32, %sum: f32):
    %count = arith.constant @N@.0 : f32
    %mean = arith.divf %row_sum, %count : f32
    %centred = arith.subf %element, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<@M@xf32>
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>,
                       affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%input, %sums, %squares, %weight, %bias
          : tensor<@M@x@N@xf32>, tensor<@M@xf32>, tensor<@M@xf32>, tensor<@N@xf32>, tensor<@N@xf32>)
      outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%element: f32, %row_sum: f32, %row_squares: f32, %factor: f32, %offset: f32, %unused: f32):
    %count = arith.constant @N@.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %row_sum, %count : f32
    %variance = arith.divf %row_squares, %count : f32
    %positive = arith.addf %variance, %epsilon : f32
    %inverse = math.rsqrt %positive : f32
    %centred = arith.subf %element, %mean : f32
    %normal = arith.mulf %centred, %inverse : f32
    %scaled = arith.mulf %normal, %factor : f32
    %shifted = arith.addf %scaled, %offset : f32
    linalg.yield %shifted : f32
  } -> tensor<@M@x@N@xf32>
  return %result : tensor<@M@x@N@xf32>
}
