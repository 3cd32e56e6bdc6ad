func.func @product(%a: tensor<?x3xf32>, %b: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %a, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%rows) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %result = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %result : tensor<?x2xf32>
}
