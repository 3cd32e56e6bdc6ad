// C = A B, with `nt` A B^T, with `chain` (A B) V.
func.func @matmul(%a: tensor<@M@x@D@x@T@>,
?nt    %b: tensor<@N@x@D@x@T@>
!nt    %b: tensor<@D@x@N@x@T@>
?chain    , %v: tensor<@N@x@E@x@T@>
?chain    ) -> tensor<@M@x@E@xf32> {
!chain    ) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %c = linalg.matmul
?nt      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
?nt                       affine_map<(m, n, k) -> (m, n)>]
?nt      ins(%a, %b : tensor<@M@x@D@x@T@>, tensor<@N@x@D@x@T@>)
!nt      ins(%a, %b : tensor<@M@x@D@x@T@>, tensor<@D@x@N@x@T@>)
      outs(%start : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
?chain  %narrow_empty = tensor.empty() : tensor<@M@x@N@x@T@>
?chain  %narrow = linalg.map ins(%c : tensor<@M@x@N@xf32>) outs(%narrow_empty : tensor<@M@x@N@x@T@>)
?chain    (%wide: f32) {
?chain      %half = arith.constant 0.5 : f32
?chain      %less = arith.mulf %wide, %half : f32
?chain      %rounded = arith.truncf %less : f32 to @T@
?chain      linalg.yield %rounded : @T@
?chain    }
?chain  %result_empty = tensor.empty() : tensor<@M@x@E@xf32>
?chain  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<@M@x@E@xf32>) -> tensor<@M@x@E@xf32>
?chain  %result = linalg.matmul ins(%narrow, %v : tensor<@M@x@N@x@T@>, tensor<@N@x@E@x@T@>)
?chain      outs(%result_start : tensor<@M@x@E@xf32>) -> tensor<@M@x@E@xf32>
?chain  return %result : tensor<@M@x@E@xf32>
!chain  return %c : tensor<@M@x@N@xf32>
}
