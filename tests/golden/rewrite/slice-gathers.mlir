// Products with matrices that indices name are loops around products with slices, on hosts.
// RUN: tcc-attn opt %s --passes=simplify,slice-gathers,simplify --target=host:x86-64-v3 | FileCheck %s
// RUN: tcc-attn opt %s --passes=simplify,slice-gathers,simplify --target=nvptx:sm_80 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn run %s --func=experts --random --check --verify
// RUN: tcc-attn run %s --func=adapters --random --check --verify --dims=3,3,7
// RUN: tcc-attn run %s --func=adapters --random --check --dims=0,0,7
// RUN: tcc-attn run %s --func=pages --random --check
// RUN: tcc-attn run %s --func=accumulate --random --check

#weights = affine_map<(e, o, k) -> (e, o, k)>
#index = affine_map<(e, o, k) -> (e)>
#row = affine_map<(e, o, k) -> (k)>
#result = affine_map<(e, o, k) -> (e, o)>

// Two experts for one token, whose features both read; negative numbers count from the end.
// CHECK-LABEL: @experts
// CHECK-NOT: tensor<2x96x128xf32>
// CHECK: scf.for %[[E:.*]] = %{{.*}} iter_args(%[[INTO:.*]] = %{{.*}}) -> (tensor<2x96xf32>)
// CHECK: %[[AT:.*]] = tensor.extract %arg0[%[[E]]]
// CHECK: arith.select
// CHECK: tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, 96, 128] [1, 1, 1] : tensor<8x96x128xf32> to tensor<96x128xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %arg2 : tensor<96x128xf32>, tensor<128xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[INTO]][%[[E]], 0] [1, 96] [1, 1]
// GPU-LABEL: @experts
// GPU-NOT: scf.for
func.func @experts(%chosen: tensor<2xi64>, %w: tensor<8x96x128xf32>, %x: tensor<128xf32>) -> tensor<2x96xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %e = tensor.empty() : tensor<2x96x128xf32>
  %gathered = linalg.generic {indexing_maps = [#index, #weights], iterator_types = ["parallel", "parallel", "parallel"]} ins(%chosen : tensor<2xi64>) outs(%e : tensor<2x96x128xf32>) {
  ^bb0(%in: i64, %out: f32):
    %negative = arith.cmpi slt, %in, %c0 : i64
    %from_end = arith.addi %in, %c8 : i64
    %number = arith.select %negative, %from_end, %in : i64
    %expert = arith.index_cast %number : i64 to index
    %o = linalg.index 1 : index
    %k = linalg.index 2 : index
    %element = tensor.extract %w[%expert, %o, %k] : tensor<8x96x128xf32>
    linalg.yield %element : f32
  } -> tensor<2x96x128xf32>
  %er = tensor.empty() : tensor<2x96xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x96xf32>) -> tensor<2x96xf32>
  %r = linalg.generic {indexing_maps = [#weights, #row, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%gathered, %x : tensor<2x96x128xf32>, tensor<128xf32>) outs(%zr : tensor<2x96xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x96xf32>
  return %r : tensor<2x96xf32>
}

// Each sequence has its own adapter, which all of its tokens share.
// CHECK-LABEL: @adapters
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg2[%{{.*}}, 0, 0] [1, %{{.*}}, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
// CHECK: tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, 128, 96] [1, 1, 1]
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @adapters(%chosen: tensor<?xi32>, %w: tensor<8x128x96xf32>, %x: tensor<?x?x128xf32>) -> tensor<?x?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x128xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x128xf32>
  %e = tensor.empty(%b) : tensor<?x128x96xf32>
  %gathered = linalg.generic {indexing_maps = [#index, #weights], iterator_types = ["parallel", "parallel", "parallel"]} ins(%chosen : tensor<?xi32>) outs(%e : tensor<?x128x96xf32>) {
  ^bb0(%in: i32, %out: f32):
    %adapter = arith.index_cast %in : i32 to index
    %k = linalg.index 1 : index
    %o = linalg.index 2 : index
    %element = tensor.extract %w[%adapter, %k, %o] : tensor<8x128x96xf32>
    linalg.yield %element : f32
  } -> tensor<?x128x96xf32>
  %er = tensor.empty(%b, %n) : tensor<?x?x96xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  %r = linalg.batch_matmul ins(%x, %gathered : tensor<?x?x128xf32>, tensor<?x128x96xf32>) outs(%zr : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  return %r : tensor<?x?x96xf32>
}

// A row for each key is no matrix, and what is summed over is no loop around.
// CHECK-LABEL: @pages
// CHECK-NOT: scf.for
func.func @pages(%rows: tensor<200xi64>, %keys: tensor<300x64xf32>, %q: tensor<64xf32>, %p: tensor<200xf32>) -> (tensor<200xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x64xf32>
  %gathered = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<200xi64>) outs(%e : tensor<200x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %d = linalg.index 1 : index
    %element = tensor.extract %keys[%row, %d] : tensor<300x64xf32>
    linalg.yield %element : f32
  } -> tensor<200x64xf32>
  %e1 = tensor.empty() : tensor<200xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<200xf32>) -> tensor<200xf32>
  %scores = linalg.matvec ins(%gathered, %q : tensor<200x64xf32>, tensor<64xf32>) outs(%z1 : tensor<200xf32>) -> tensor<200xf32>
  %e2 = tensor.empty() : tensor<64xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.vecmat ins(%p, %gathered : tensor<200xf32>, tensor<200x64xf32>) outs(%z2 : tensor<64xf32>) -> tensor<64xf32>
  return %scores, %sums : tensor<200xf32>, tensor<64xf32>
}

// What the sums start from is taken as well.
// CHECK-LABEL: @accumulate
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[INTO:.*]] = %arg3)
// CHECK: tensor.extract_slice %[[INTO]][%[[I]], 0] [1, 96] [1, 1]
func.func @accumulate(%chosen: tensor<2xi64>, %w: tensor<8x96x128xf32>, %x: tensor<2x128xf32>, %start: tensor<2x96xf32>) -> tensor<2x96xf32> {
  %e = tensor.empty() : tensor<2x96x128xf32>
  %gathered = linalg.generic {indexing_maps = [#index, #weights], iterator_types = ["parallel", "parallel", "parallel"]} ins(%chosen : tensor<2xi64>) outs(%e : tensor<2x96x128xf32>) {
  ^bb0(%in: i64, %out: f32):
    %expert = arith.index_cast %in : i64 to index
    %o = linalg.index 1 : index
    %k = linalg.index 2 : index
    %element = tensor.extract %w[%expert, %o, %k] : tensor<8x96x128xf32>
    linalg.yield %element : f32
  } -> tensor<2x96x128xf32>
  %r = linalg.batch_matvec ins(%gathered, %x : tensor<2x96x128xf32>, tensor<2x128xf32>) outs(%start : tensor<2x96xf32>) -> tensor<2x96xf32>
  return %r : tensor<2x96xf32>
}
