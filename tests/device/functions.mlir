// A function of each element, where its result is a number, or what tells NaN and infinity from numbers.
#each = affine_map<(m, n) -> (m, n)>
func.func @functions(%x: tensor<@M@x@N@x@T@>, %y: tensor<@M@x@N@x@T@>) -> tensor<@M@x@N@x@T@> {
  %empty = tensor.empty() : tensor<@M@x@N@x@T@>
  %result = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>) outs(%empty : tensor<@M@x@N@x@T@>) {
  ^bb0(%a: @T@, %b: @T@, %unused: @T@):
    %sixteenth = arith.constant 0.0625 : @T@
    %part = arith.mulf %a, %sixteenth : @T@
    %magnitude = math.absf %a : @T@
    %zero = arith.constant 0.0 : @T@
    %one = arith.constant 1.0 : @T@
    %two = arith.constant 2.0 : @T@
    %four = arith.constant 4.0 : @T@
?tan    %r = math.tan %a : @T@
?log10    %r = math.log10 %magnitude : @T@
?sinh    %r = math.sinh %a : @T@
?cosh    %r = math.cosh %a : @T@
?asin    %r = math.asin %part : @T@
?acos    %r = math.acos %part : @T@
?atan    %r = math.atan %a : @T@
?atan2    %r = math.atan2 %a, %b : @T@
?erfc    %r = math.erfc %a : @T@
?cbrt    %r = math.cbrt %a : @T@
?tests    %root = math.sqrt %a : @T@
?tests    %none = math.isnan %root : @T@
?tests    %finite = math.isfinite %root : @T@
?tests    %quotient = arith.divf %root, %zero : @T@
?tests    %infinite = math.isinf %quotient : @T@
?tests    %s = arith.select %none, %one, %zero : @T@
?tests    %t = arith.select %finite, %two, %s : @T@
?tests    %u = arith.addf %t, %four : @T@
?tests    %r = arith.select %infinite, %u, %t : @T@
    linalg.yield %r : @T@
  } -> tensor<@M@x@N@x@T@>
  return %result : tensor<@M@x@N@x@T@>
}
