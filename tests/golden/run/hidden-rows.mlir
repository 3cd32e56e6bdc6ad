// A softmax by hand of strictly causal scores: the first row is NaN as it is spelled, and 0 as a softmax has it. --check
// counts that as a difference, and says what it is.
// RUN: not tcc-attn run %s --func=f --random --check 2>&1 | FileCheck %s
// RUN: not tcc-attn run %s --func=biased --random --check 2>&1 | FileCheck %s --check-prefix=BIAS
// CHECK: check: result 0: {{.*}}: WRONG
// CHECK-NEXT: check: result 0: 4 elements are 0 that would be NaN as the program is spelled: so are rows of a softmax that masks hide everywhere{{$}}
// BIAS: check: result 0: {{.*}}: WRONG
// BIAS-NEXT: check: result 0: 4 elements are finite that would be NaN as the program is spelled: so are rows of a softmax that masks hide everywhere, whose weights are 0 here
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %er = tensor.empty() : tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %c = arith.cmpi slt, %k, %q : index
    %y = arith.select %c, %p, %inf : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  %m0 = linalg.fill ins(%inf : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x4xf32>) outs(%m0 : tensor<4xf32>) dimensions = [1]
  %n = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %r: f32, %o: f32):
    %d = arith.subf %p, %r : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %t = linalg.reduce { arith.addf } ins(%n : tensor<4x4xf32>) outs(%s0 : tensor<4xf32>) dimensions = [1]
  %w = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%n, %t : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %r: f32, %o: f32):
    %y = arith.divf %p, %r : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}
func.func @biased(%x: tensor<4x4xf32>, %bias: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = func.call @f(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = arith.addf %w, %bias : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
