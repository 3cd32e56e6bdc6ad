// RUN: tcc-attn opt %s --passes=raise,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=natural --random --check
// RUN: tcc-attn run %s --func=steep --random --check

// 2^((x - max) log2(e)) is e^(x - max), and nothing is multiplied. A factor that could make finite scores infinite stays
// behind the difference.
#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @natural
// CHECK-NOT: arith.mulf
// CHECK: linalg_ext.softmax dimension(1) ins(%arg0
func.func @natural(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %steepness = arith.constant 1.44269504 : f32
  %e = tensor.empty() : tensor<5x33xf32>
  %er = tensor.empty() : tensor<5xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<5x33xf32>) outs(%start : tensor<5xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    %2 = arith.mulf %1, %steepness : f32
    %3 = math.exp2 %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<5x33xf32>) outs(%none : tensor<5xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %1 = arith.divf %a, %d : f32
    linalg.yield %1 : f32
  } -> tensor<5x33xf32>
  return %r : tensor<5x33xf32>
}

// CHECK-LABEL: func.func @steep
// CHECK-NOT: linalg_ext.softmax
func.func @steep(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %steepness = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<5x33xf32>
  %er = tensor.empty() : tensor<5xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<5x33xf32>) outs(%start : tensor<5xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    %2 = arith.mulf %1, %steepness : f32
    %3 = math.exp2 %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<5x33xf32>) outs(%none : tensor<5xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %1 = arith.divf %a, %d : f32
    linalg.yield %1 : f32
  } -> tensor<5x33xf32>
  return %r : tensor<5x33xf32>
}
