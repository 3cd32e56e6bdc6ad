// Functions of each element, in domains where their results are numbers, and what tells NaN and infinity from numbers.
#each = affine_map<(m, n) -> (m, n)>
func.func @functions(%x: tensor<@M@x@N@x@T@>, %y: tensor<@M@x@N@x@T@>)
    -> (tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>) {
  %empty = tensor.empty() : tensor<@M@x@N@x@T@>
  %r:11 = linalg.generic {
      indexing_maps = [#each, #each, #each, #each, #each, #each, #each, #each, #each, #each, #each, #each, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>)
      outs(%empty, %empty, %empty, %empty, %empty, %empty, %empty, %empty, %empty, %empty, %empty
        : tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>) {
  ^bb0(%a: @T@, %b: @T@, %o0: @T@, %o1: @T@, %o2: @T@, %o3: @T@, %o4: @T@, %o5: @T@, %o6: @T@, %o7: @T@, %o8: @T@, %o9: @T@, %o10: @T@):
    %sixteenth = arith.constant 0.0625 : @T@
    %one = arith.constant 1.0 : @T@
    %two = arith.constant 2.0 : @T@
    %four = arith.constant 4.0 : @T@
    %part = arith.mulf %a, %sixteenth : @T@
    %magnitude = math.absf %a : @T@
    %tan = math.tan %a : @T@
    %log10 = math.log10 %magnitude : @T@
    %sinh = math.sinh %a : @T@
    %cosh = math.cosh %a : @T@
    %asin = math.asin %part : @T@
    %acos = math.acos %part : @T@
    %atan = math.atan %a : @T@
    %atan2 = math.atan2 %a, %b : @T@
    %erfc = math.erfc %a : @T@
    %cbrt = math.cbrt %a : @T@
    %root = math.sqrt %a : @T@
    %none = math.isnan %root : @T@
    %zero = arith.subf %b, %b : @T@
    %quotient = arith.divf %root, %zero : @T@
    %infinite = math.isinf %quotient : @T@
    %finite = math.isfinite %root : @T@
    %t0 = arith.select %none, %one, %zero : @T@
    %t1 = arith.select %infinite, %two, %t0 : @T@
    %t2 = arith.addf %t1, %four : @T@
    %tests = arith.select %finite, %t2, %t1 : @T@
    linalg.yield %tan, %log10, %sinh, %cosh, %asin, %acos, %atan, %atan2, %erfc, %cbrt, %tests
        : @T@, @T@, @T@, @T@, @T@, @T@, @T@, @T@, @T@, @T@, @T@
  } -> (tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10
      : tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>,
        tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>, tensor<@M@x@N@x@T@>
}
