// Attention and a layer as people write them without linalg.generic: arith and math on whole tensors, splats, generated
// masks. They are one kernel each, and the mask ends the loop over keys.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn explain %s --target=nvptx:sm_90 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn compile %s --cores=1 --emit=mlir -o - | FileCheck %s --check-prefix=TRIM
// RUN: tcc-attn run %s --func=causal --random --dims=200 --check --verify
// RUN: tcc-attn run %s --func=causal --random --dims=129 --check --target=nvptx:sm_80 --device=ptx-emu
// RUN: tcc-attn run %s --func=gated --random --check --verify

// CHECK: @causal
// CHECK: kernel 1: attention: 2 products, a softmax
// CHECK-NEXT: 1 kernel, with nothing in memory between
// CHECK: @gated
// CHECK: kernel 1: 3 products
// CHECK-NEXT: 1 kernel, with nothing in memory between
// GPU: @causal
// GPU: kernel 1: attention: 2 products, a softmax
// GPU-NEXT: 1 kernel, with nothing in memory between
// GPU: @gated
// GPU: kernel 1: 3 products
// GPU-NEXT: 1 kernel, with nothing in memory between

// TRIM-LABEL: func.func @causal
// TRIM: %[[END:.*]] = affine.min
// TRIM: scf.for %{{.*}} = %c0{{.*}} to %[[END]]
#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#s = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @causal(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x64xf32>) -> tensor<2x?x64xf32> {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x64xf32>
  %n = tensor.dim %k, %c1 : tensor<2x?x64xf32>
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant 0.125 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %scores_zero = tensor.splat %zero[%m, %n] : tensor<2x?x?xf32>
  %scores = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%scores_zero : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %scale = tensor.splat %factor[%m, %n] : tensor<2x?x?xf32>
  %scaled = arith.mulf %scores, %scale : tensor<2x?x?xf32>
  %visible = tensor.generate %m, %n {
  ^bb0(%batch: index, %row: index, %column: index):
    %seen = arith.cmpi sge, %row, %column : index
    tensor.yield %seen : i1
  } : tensor<2x?x?xi1>
  %hidden = tensor.splat %infinity[%m, %n] : tensor<2x?x?xf32>
  %masked = arith.select %visible, %scaled, %hidden : tensor<2x?x?xi1>, tensor<2x?x?xf32>
  %statistics = tensor.splat %infinity[%m] : tensor<2x?xf32>
  %maximum = linalg.reduce { arith.maximumf } ins(%masked : tensor<2x?x?xf32>) outs(%statistics : tensor<2x?xf32>) dimensions = [2]
  %empty = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %maxima = linalg.broadcast ins(%maximum : tensor<2x?xf32>) outs(%empty : tensor<2x?x?xf32>) dimensions = [2]
  %difference = arith.subf %masked, %maxima : tensor<2x?x?xf32>
  %power = math.exp %difference : tensor<2x?x?xf32>
  %sum_zero = tensor.splat %zero[%m] : tensor<2x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%power : tensor<2x?x?xf32>) outs(%sum_zero : tensor<2x?xf32>) dimensions = [2]
  %sums = linalg.broadcast ins(%sum : tensor<2x?xf32>) outs(%empty : tensor<2x?x?xf32>) dimensions = [2]
  %weights = arith.divf %power, %sums : tensor<2x?x?xf32>
  %result_zero = tensor.splat %zero[%m] : tensor<2x?x64xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<2x?x?xf32>, tensor<2x?x64xf32>) outs(%result_zero : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  return %result : tensor<2x?x64xf32>
}
func.func @gated(%x: tensor<40x32xf32>, %w1: tensor<32x48xf32>, %w2: tensor<32x48xf32>, %w3: tensor<48x32xf32>) -> tensor<40x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<40x48xf32>
  %one = arith.constant dense<1.0> : tensor<40x48xf32>
  %a = linalg.matmul ins(%x, %w1 : tensor<40x32xf32>, tensor<32x48xf32>) outs(%zero : tensor<40x48xf32>) -> tensor<40x48xf32>
  %b = linalg.matmul ins(%x, %w2 : tensor<40x32xf32>, tensor<32x48xf32>) outs(%zero : tensor<40x48xf32>) -> tensor<40x48xf32>
  %minus = arith.negf %a : tensor<40x48xf32>
  %power = math.exp %minus : tensor<40x48xf32>
  %more = arith.addf %power, %one : tensor<40x48xf32>
  %gate = arith.divf %a, %more : tensor<40x48xf32>
  %gated = arith.mulf %gate, %b : tensor<40x48xf32>
  %result_zero = arith.constant dense<0.0> : tensor<40x32xf32>
  %result = linalg.matmul ins(%gated, %w3 : tensor<40x48xf32>, tensor<48x32xf32>) outs(%result_zero : tensor<40x32xf32>) -> tensor<40x32xf32>
  %sum = arith.addf %result, %x : tensor<40x32xf32>
  return %sum : tensor<40x32xf32>
}
