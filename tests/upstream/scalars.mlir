// Elementwise arithmetic in f32, f64 and integers, on values of both signs, with the corner cases of each op.
#id = affine_map<(i) -> (i)>

func.func private @wave() -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<40xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c17 = arith.constant 17 : index
    %c23 = arith.constant 23 : index
    %m = arith.muli %i, %c17 : index
    %n = arith.remsi %m, %c23 : index
    %k = arith.index_cast %n : index to i32
    %f = arith.sitofp %k : i32 to f32
    %half = arith.constant 11.25 : f32
    %d = arith.subf %f, %half : f32
    %s = arith.constant 0.37 : f32
    %v = arith.mulf %d, %s : f32
    linalg.yield %v : f32
  } -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func @float_arithmetic() -> (tensor<40xf32>, tensor<40xf64>) {
  %w = call @wave() : () -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xf32>
  %g = tensor.empty() : tensor<40xf64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%w : tensor<40xf32>)
      outs(%e, %g : tensor<40xf32>, tensor<40xf64>) {
  ^bb0(%x: f32, %o: f32, %p: f64):
    %c = arith.constant 1.75 : f32
    %a = arith.addf %x, %c : f32
    %m = arith.mulf %a, %x : f32
    %d = arith.divf %m, %c : f32
    %n = arith.negf %d : f32
    %max = arith.maximumf %n, %x : f32
    %min = arith.minimumf %max, %c : f32
    %big = arith.maxnumf %min, %a : f32
    %small = arith.minnumf %big, %d : f32
    %rem = arith.remf %small, %c : f32
    %wide = arith.extf %x : f32 to f64
    %sum = arith.addf %wide, %wide : f64
    %third = arith.constant 3.0 : f64
    %q = arith.divf %sum, %third : f64
    linalg.yield %rem, %q : f32, f64
  } -> (tensor<40xf32>, tensor<40xf64>)
  return %r#0, %r#1 : tensor<40xf32>, tensor<40xf64>
}

func.func @transcendental() -> (tensor<40xf32>, tensor<40xf64>) {
  %w = call @wave() : () -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xf32>
  %g = tensor.empty() : tensor<40xf64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%w : tensor<40xf32>)
      outs(%e, %g : tensor<40xf32>, tensor<40xf64>) {
  ^bb0(%x: f32, %o: f32, %p: f64):
    %a = math.exp %x : f32
    %b = math.exp2 %x : f32
    %c = math.tanh %x : f32
    %d = math.erf %x : f32
    %abs = math.absf %x : f32
    %s = math.sqrt %abs : f32
    %t = arith.addf %a, %b : f32
    %u = arith.addf %t, %c : f32
    %v = arith.addf %u, %d : f32
    %y = arith.addf %v, %s : f32
    %wide = arith.extf %y : f32 to f64
    %l = math.log %wide : f64
    %m = math.log2 %wide : f64
    %n = math.rsqrt %wide : f64
    %z = arith.addf %l, %m : f64
    %k = math.powf %wide, %n : f64
    %q = arith.addf %z, %k : f64
    %fl = math.floor %q : f64
    %ce = math.ceil %q : f64
    %fc = arith.mulf %fl, %ce : f64
    %res = math.fma %q, %fc, %n : f64
    linalg.yield %y, %res : f32, f64
  } -> (tensor<40xf32>, tensor<40xf64>)
  return %r#0, %r#1 : tensor<40xf32>, tensor<40xf64>
}

func.func @angles_and_others() -> (tensor<40xf32>, tensor<40xf64>) {
  %w = call @wave() : () -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xf32>
  %g = tensor.empty() : tensor<40xf64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%w : tensor<40xf32>)
      outs(%e, %g : tensor<40xf32>, tensor<40xf64>) {
  ^bb0(%x: f32, %o: f32, %p: f64):
    %tan = math.tan %x : f32
    %sinh = math.sinh %x : f32
    %cosh = math.cosh %x : f32
    %erfc = math.erfc %x : f32
    %root = math.cbrt %x : f32
    %a = arith.addf %tan, %sinh : f32
    %b = arith.addf %a, %cosh : f32
    %c = arith.addf %b, %erfc : f32
    %d = arith.addf %c, %root : f32
    %half = math.tanh %x : f32
    %wide = arith.extf %half : f32 to f64
    %asin = math.asin %wide : f64
    %acos = math.acos %wide : f64
    %atan = math.atan %wide : f64
    %angle = math.atan2 %asin, %acos : f64
    %log = math.log10 %acos : f64
    %f = arith.addf %atan, %angle : f64
    %h = arith.addf %f, %log : f64
    %none = math.sqrt %wide : f64
    %is_none = math.isnan %none : f64
    %is_number = math.isfinite %none : f64
    %k = arith.select %is_none, %h, %acos : f64
    %l = arith.select %is_number, %angle, %k : f64
    linalg.yield %d, %l : f32, f64
  } -> (tensor<40xf32>, tensor<40xf64>)
  return %r#0, %r#1 : tensor<40xf32>, tensor<40xf64>
}

func.func @comparisons() -> tensor<40xi64> {
  %w = call @wave() : () -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<40xf32>)
      outs(%e : tensor<40xi64>) {
  ^bb0(%x: f32, %o: i64):
    %zero = arith.constant 0.0 : f32
    %nan = arith.divf %zero, %zero : f32
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %lt = arith.cmpf olt, %x, %zero : f32
    %un = arith.cmpf ult, %x, %nan : f32
    %ne = arith.cmpf une, %nan, %nan : f32
    %ord = arith.cmpf ord, %x, %nan : f32
    %a = arith.select %lt, %c1, %c0 : i64
    %b = arith.select %un, %c2, %c0 : i64
    %c = arith.select %ne, %c4, %c0 : i64
    %d = arith.select %ord, %c8, %c0 : i64
    %ab = arith.addi %a, %b : i64
    %cd = arith.ori %c, %d : i64
    %s = arith.xori %ab, %cd : i64
    linalg.yield %s : i64
  } -> tensor<40xi64>
  return %r : tensor<40xi64>
}

func.func @integer_arithmetic() -> (tensor<40xi32>, tensor<40xi64>) {
  %e = tensor.empty() : tensor<40xi32>
  %g = tensor.empty() : tensor<40xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      outs(%e, %g : tensor<40xi32>, tensor<40xi64>) {
  ^bb0(%o: i32, %p: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %c20 = arith.constant 20 : i32
    %c3 = arith.constant 3 : i32
    %c7 = arith.constant 7 : i32
    %big = arith.constant 715827883 : i32
    %x = arith.subi %k, %c20 : i32
    %q = arith.divsi %x, %c3 : i32
    %m = arith.remsi %x, %c7 : i32
    %qm = arith.muli %q, %m : i32
    %wrap = arith.muli %x, %big : i32
    %uq = arith.divui %wrap, %c7 : i32
    %ur = arith.remui %wrap, %c7 : i32
    %sh = arith.shli %x, %c3 : i32
    %sr = arith.shrsi %wrap, %c7 : i32
    %su = arith.shrui %wrap, %c7 : i32
    %mx = arith.maxsi %sr, %qm : i32
    %mn = arith.minui %su, %uq : i32
    %an = arith.andi %mx, %sh : i32
    %or = arith.ori %an, %ur : i32
    %res = arith.addi %or, %mn : i32
    %fd = arith.floordivsi %x, %c3 : i32
    %cd = arith.ceildivsi %x, %c3 : i32
    %cu = arith.ceildivui %wrap, %c7 : i32
    %fcd = arith.muli %fd, %cd : i32
    %fc = arith.addi %fcd, %cu : i32
    %sw = arith.extsi %fc : i32 to i64
    %uw = arith.extui %wrap : i32 to i64
    %wide = arith.addi %sw, %uw : i64
    %narrow = arith.trunci %wide : i64 to i8
    %back = arith.extsi %narrow : i8 to i64
    %sum = arith.addi %wide, %back : i64
    linalg.yield %res, %sum : i32, i64
  } -> (tensor<40xi32>, tensor<40xi64>)
  return %r#0, %r#1 : tensor<40xi32>, tensor<40xi64>
}

func.func @conversions() -> (tensor<40xi32>, tensor<40xf32>) {
  %w = call @wave() : () -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xi32>
  %g = tensor.empty() : tensor<40xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%w : tensor<40xf32>)
      outs(%e, %g : tensor<40xi32>, tensor<40xf32>) {
  ^bb0(%x: f32, %o: i32, %p: f32):
    %i = arith.fptosi %x : f32 to i32
    %h = arith.truncf %x : f32 to f16
    %hw = arith.extf %h : f16 to f32
    %abs = math.absf %x : f32
    %u = arith.fptoui %abs : f32 to i32
    %uf = arith.uitofp %u : i32 to f32
    %b = arith.bitcast %x : f32 to i32
    %c = arith.constant 255 : i32
    %low = arith.andi %b, %c : i32
    %s = arith.addi %low, %i : i32
    %t = arith.addf %hw, %uf : f32
    linalg.yield %s, %t : i32, f32
  } -> (tensor<40xi32>, tensor<40xf32>)
  return %r#0, %r#1 : tensor<40xi32>, tensor<40xf32>
}
