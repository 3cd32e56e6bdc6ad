// Where registers are few, rows are in lanes block by block: a loop in each step of keys goes over the blocks, of which a
// causal mask leaves out those that it hides. What is transposed before the loop, and divided behind it, is so a block at
// a time; a product's tiles, of six rows and of those left over, ask for what the next step reads.
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --cores=2 --verify --dump=hoist-factors,register-tile -o /dev/null 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=host:nehalem --cores=2 --dump=hoist-factors -o /dev/null 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %if avx2 %{ tcc-attn run %s --func=causal --random --check --target=host:x86-64-v3 2>&1 | FileCheck %s --check-prefix=RESULT %}
// RUN: %if avx2 %{ tcc-attn run %s --func=open --dims=300,300,300 --random --check --target=host:x86-64-v3 2>&1 | FileCheck %s --check-prefix=RESULT %}
// RUN: %if avx2 %{ tcc-attn run %s --func=open --dims=47,200,200 --random --check --target=host:x86-64-v3 2>&1 | FileCheck %s --check-prefix=RESULT %}

// RESULT: {{: good$}}
// NARROW-NOT: x64x16xf32>

// CHECK: after hoist-factors
// CHECK-LABEL: func.func @causal(
// CHECK: %[[ALL:.*]] = tensor.extract_slice %arg0[{{.*}}] [1, 128, 64]
// CHECK: %[[QUERIES:.*]] = scf.for {{.*}} to %c8 {{.*}} -> (tensor<8x1x64x16xf32>)
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[ALL]][{{.*}}] [1, 16, 64]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : tensor<1x16x64xf32>) outs(%{{.*}} : tensor<1x64x16xf32>)
// CHECK: arith.mulf
// CHECK: %[[END:.*]]:3 = scf.for %[[STEP:[a-z0-9]+]] = {{.*}} -> (tensor<8x1x64x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>)
// CHECK: %[[KEYS:.*]] = tensor.extract_slice %arg1[{{.*}}, %[[STEP]], 0] [1, 64, 64]
// CHECK: %[[VISIBLE:.*]] = affine.max #{{.*}}(%[[STEP]], %{{.*}})
// CHECK: scf.for %[[BLOCK:[a-z0-9]+]] = %[[VISIBLE]] to %{{.*}} -> (tensor<8x1x64x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>)
// CHECK: %[[QUERY:.*]] = tensor.extract_slice %[[QUERIES]][%[[BLOCK]], 0, 0, 0]
// CHECK: linalg.generic {{.*}} ins(%[[QUERY]], %[[KEYS]] : tensor<1x64x16xf32>, tensor<1x64x64xf32>) outs(%{{.*}} : tensor<1x64x16xf32>)
// CHECK: tensor.insert_slice {{.*}}[%[[BLOCK]], 0, 0, 0]
// CHECK: scf.for {{.*}} -> (tensor<1x128x64xf32>)
// CHECK: tensor.extract_slice %[[END]]#0
// CHECK: arith.divf
// CHECK: tensor.insert_slice {{.*}} tensor<1x16x64xf32> into tensor<1x128x64xf32>

// Rows of an open number are so only in a kernel of their own, whose last tile has fewer blocks.
// CHECK-LABEL: func.func @open(
// CHECK: scf.forall {{.*}} step (1, 64)
// CHECK: %[[SOME:.*]] = affine.apply
// CHECK: scf.for {{.*}} -> (tensor<4x1x64x16xf32>, tensor<4x1x16xf32>, tensor<4x1x16xf32>)
// CHECK: scf.for %{{.*}} to %[[SOME]] {{.*}} -> (tensor<4x1x64x16xf32>, tensor<4x1x16xf32>, tensor<4x1x16xf32>)
// CHECK: scf.forall {{.*}} step (1, 128)
// CHECK-NOT: x64x16xf32>

// CHECK: after register-tile
// CHECK-LABEL: func.func @causal(
// CHECK: scf.for {{.*}} to %c60{{[_0-9]*}} step %c6{{[_0-9]*}} {
// CHECK-COUNT-3: vector_ext.prefetch %{{.*}} : memref<1x64x64xf32
// CHECK-NOT: vector_ext.prefetch
// CHECK: scf.for {{.*}} -> (vector<6x16xf32>)
// CHECK-NOT: tec.prefetch
// CHECK: } {tec.unroll = 4 : i64}
// CHECK: scf.for {{.*}} -> (vector<4x16xf32>)
// Exponentials of four registers are made together.
// CHECK: math.exp2 {{.*}} : vector<2x16xf32>
// CHECK: scf.for {{.*}} -> (vector<6x16xf32>)
// CHECK: } {tec.unroll = 4 : i64}

func.func @causal(%query: tensor<2x1024x64xf32>, %key: tensor<2x1024x64xf32>, %value: tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %empty = tensor.empty() : tensor<2x1024x1024xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<2x1024x64xf32>, tensor<2x1024x64xf32>) outs(%start : tensor<2x1024x1024xf32>) layout = "nt" -> tensor<2x1024x1024xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x1024x1024xf32>) outs(%empty : tensor<2x1024x1024xf32>) {
  ^bb0(%score: f32, %out: f32):
    %scaled = arith.mulf %score, %scale : f32
    %q = linalg.index 1 : index
    %k = linalg.index 2 : index
    %visible = arith.cmpi sle, %k, %q : index
    %kept = arith.select %visible, %scaled, %hidden : f32
    linalg.yield %kept : f32
  } -> tensor<2x1024x1024xf32>
  %weights = linalg.softmax dimension(2) ins(%masked : tensor<2x1024x1024xf32>) outs(%empty : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %results = tensor.empty() : tensor<2x1024x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%results : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x1024x1024xf32>, tensor<2x1024x64xf32>) outs(%zeros : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %result : tensor<2x1024x64xf32>
}

func.func @open(%query: tensor<2x?x64xf32>, %key: tensor<2x?x64xf32>, %value: tensor<2x?x64xf32>) -> tensor<2x?x64xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %query, %c1 : tensor<2x?x64xf32>
  %keys = tensor.dim %key, %c1 : tensor<2x?x64xf32>
  %empty = tensor.empty(%rows, %keys) : tensor<2x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%start : tensor<2x?x?xf32>) layout = "nt" -> tensor<2x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x?x?xf32>) outs(%empty : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %results = tensor.empty(%rows) : tensor<2x?x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%results : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<2x?x?xf32>, tensor<2x?x64xf32>) outs(%zeros : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  return %result : tensor<2x?x64xf32>
}
