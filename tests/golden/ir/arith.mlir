// Constants and elementwise ops on scalars, vectors and tensors.
func.func @constants() {
  %0 = arith.constant 0xFF800000 : f32
  %1 = arith.constant 2.5 : bf16
  %2 = arith.constant 0x7E00 : f16
  %3 = arith.constant -1.0e-300 : f64
  %4 = arith.constant 0.1 : f64
  %5 = arith.constant true
  %6 = arith.constant false
  %7 = arith.constant 42 : index
  %8 = arith.constant -7 : i32
  %9 = arith.constant {tag = "x"} 3 : i64
  %10 = arith.constant dense<0.0> : tensor<4x8xf32>
  %11 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %12 = arith.constant dense<[true, false]> : vector<2xi1>
  %13 = arith.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  %14 = arith.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  %15 = arith.constant dense<> : tensor<0xf32>
  %16 = arith.constant dense<7> : vector<4xindex>
  %17 = arith.constant 1 : i1
  %18 = arith.constant 16777216.0 : f32
  return
}
func.func @floats(%a: f32, %b: f32, %v: vector<4x8xf16>, %t: tensor<?xf64>) -> f32 {
  %0 = arith.addf %a, %b : f32
  %1 = arith.subf %0, %b fastmath<fast> : f32
  %2 = arith.mulf %1, %b fastmath<nnan,ninf> {tag} : f32
  %3 = arith.divf %2, %b : f32
  %4 = arith.remf %3, %b : f32
  %5 = arith.maximumf %4, %b : f32
  %6 = arith.minimumf %5, %b : f32
  %7 = arith.maxnumf %6, %b : f32
  %8 = arith.minnumf %7, %b : f32
  %9 = arith.negf %8 : f32
  %10 = arith.addf %v, %v : vector<4x8xf16>
  %11 = arith.addf %t, %t : tensor<?xf64>
  %12 = math.exp %9 : f32
  %13 = math.exp2 %12 : f32
  %14 = math.expm1 %13 : f32
  %15 = math.log %14 : f32
  %16 = math.log2 %15 : f32
  %log = math.log10 %16 : f32
  %17 = math.log1p %log : f32
  %18 = math.tanh %17 fastmath<afn> : f32
  %sinh = math.sinh %18 : f32
  %cosh = math.cosh %sinh : f32
  %19 = math.sin %cosh : f32
  %20 = math.cos %19 : f32
  %tan = math.tan %20 : f32
  %asin = math.asin %tan : f32
  %acos = math.acos %asin : f32
  %atan = math.atan %acos : f32
  %angle = math.atan2 %atan, %b fastmath<afn> : f32
  %21 = math.sqrt %angle : f32
  %22 = math.rsqrt %21 : f32
  %root = math.cbrt %22 : f32
  %23 = math.absf %root : f32
  %24 = math.erf %23 : f32
  %rest = math.erfc %24 : f32
  %25 = math.floor %rest : f32
  %26 = math.ceil %25 : f32
  %nearest = math.round %26 : f32
  %even = math.roundeven %nearest : f32
  %whole = math.trunc %even : f32
  %signed = math.copysign %whole, %b fastmath<nnan> : f32
  %27 = math.powf %signed, %b : f32
  %28 = math.fma %27, %a, %b : f32
  %nan = math.isnan %28 : f32
  %inf = math.isinf %v : vector<4x8xf16>
  %finite = math.isfinite %t {fastmath = #arith.fastmath<nnan>} : tensor<?xf64>
  %c3 = arith.constant 3 : i64
  %29 = math.fpowi %28, %c3 : f32, i64
  %30 = math.absi %c3 : i64
  return %28 : f32
}
func.func @integers(%a: i32, %b: i32, %i: index) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.subi %0, %b : i32
  %2 = arith.muli %1, %b : i32
  %3 = arith.divsi %2, %b : i32
  %4 = arith.divui %3, %b : i32
  %5 = arith.remsi %4, %b : i32
  %6 = arith.remui %5, %b : i32
  %7 = arith.floordivsi %6, %b : i32
  %8 = arith.ceildivsi %7, %b : i32
  %parts = arith.ceildivui %8, %b : i32
  %9 = arith.andi %parts, %b : i32
  %10 = arith.ori %9, %b : i32
  %11 = arith.xori %10, %b : i32
  %12 = arith.shli %11, %b : i32
  %13 = arith.shrsi %12, %b : i32
  %14 = arith.shrui %13, %b : i32
  %15 = arith.maxsi %14, %b : i32
  %16 = arith.maxui %15, %b : i32
  %17 = arith.minsi %16, %b : i32
  %18 = arith.minui %17, %b : i32
  %19 = arith.muli %i, %i overflow<nsw, nuw> {tag} : index
  %20 = arith.divui %18, %b exact : i32
  %21 = arith.addi %20, %b {overflowFlags = #arith.overflow<nsw>} : i32
  %22 = arith.shrsi %21, %b exact {tag} : i32
  return %18 : i32
}
func.func @choices(%a: f32, %b: f32, %i: i32, %v: vector<4xf32>) -> vector<4xf32> {
  %0 = arith.cmpf olt, %a, %b : f32
  %1 = arith.cmpf "uno", %a, %b fastmath<fast> {tag} : f32
  %2 = arith.cmpi sge, %i, %i : i32
  %3 = arith.select %0, %a, %b : f32
  %4 = arith.cmpf une, %v, %v : vector<4xf32>
  %5 = arith.select %4, %v, %v : vector<4xi1>, vector<4xf32>
  %6 = arith.select %2, %5, %v {tag} : vector<4xf32>
  return %6 : vector<4xf32>
}
func.func @casts(%h: f16, %i: i8, %x: index, %v: vector<4xf32>) {
  %0 = arith.extf %h : f16 to f32
  %1 = arith.truncf %0 : f32 to bf16
  %2 = arith.extsi %i : i8 to i32
  %3 = arith.extui %i : i8 to i16
  %4 = arith.trunci %2 : i32 to i8
  %5 = arith.sitofp %2 : i32 to f64
  %6 = arith.uitofp %2 : i32 to f32
  %7 = arith.fptosi %0 : f32 to i64
  %8 = arith.fptoui %0 : f32 to i32
  %9 = arith.index_cast %x : index to i64
  %10 = arith.index_castui %x : index to i32
  %11 = arith.bitcast %0 : f32 to i32
  %12 = arith.truncf %v : vector<4xf32> to vector<4xf16>
  %13 = arith.trunci %2 overflow<nuw> : i32 to i16
  %14 = arith.truncf %0 fastmath<contract> : f32 to f16
  return
}
