// Attention over an open number of queries becomes two kernels of which each call runs one: with tiles of rows for lanes,
// where the rows nearly fill them and keys are more than a step and not too many, and with those that serve any number.
// RUN: tcc-attn opt %s --passes=schedule,simplify,open-rows,simplify --target=host:skylake-avx512 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule,simplify,open-rows,simplify --target=host:nehalem --verify | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn opt %s --passes=schedule,simplify,open-rows,simplify --target=host:skylake-avx512 --tiles=rows=32 | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn run %s --func=plain --random --check --dims=2,640,2,300,2,300 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=plain --random --check --dims=2,630,2,500,2,500 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=plain --random --check --dims=2,70,2,300,2,300 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=plain --random --check --dims=2,640,2,100,2,100 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=plain --random --check --dims=3,1,3,300,3,300 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=causal --random --check --dims=2,500,2,500,2,500 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=causal --random --check --dims=2,5,2,500,2,500 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}

// Neither on processors with registers of 128 bits, nor with tiles that a user asked for.
// OTHER-LABEL: func.func @plain(
// OTHER-COUNT-1: scf.forall (
// OTHER-NOT: scf.forall (
// OTHER: return

// CHECK-LABEL: func.func @plain(
// CHECK: %[[QUERIES:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[WASTED:.*]] = affine.apply #{{.*}}(%[[QUERIES]])
// CHECK: %[[WHOLE:.*]] = arith.cmpi sle, %[[WASTED]], %[[QUERIES]]
// CHECK: arith.andi
// CHECK: %[[FIT:.*]] = arith.andi
// CHECK: %[[LANES:.*]] = arith.select %[[FIT]], %[[QUERIES]], %c0
// CHECK: %[[OTHERS:.*]] = arith.select %[[FIT]], %c0, %[[QUERIES]]
// CHECK: %[[FIRST:.*]] = scf.forall {{.*}} to (%{{.*}}, %[[LANES]]) step (1, 64) shared_outs(%{{.*}} = %{{.*}})
// CHECK: scf.for {{.*}} step %c256
// CHECK: scf.forall {{.*}} to (%{{.*}}, %[[OTHERS]]) step (1, 128) shared_outs(%{{.*}} = %[[FIRST]])
// CHECK: scf.for {{.*}} step %c128
// CHECK: return
func.func @plain(%query: tensor<?x?x64xf32>, %key: tensor<?x?x64xf32>, %value: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %heads = tensor.dim %query, %c0 : tensor<?x?x64xf32>
  %queries = tensor.dim %query, %c1 : tensor<?x?x64xf32>
  %keys = tensor.dim %key, %c1 : tensor<?x?x64xf32>
  %empty = tensor.empty(%heads, %queries, %keys) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%start : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %result_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%result_start : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x64xf32>
  return %result : tensor<?x?x64xf32>
}

// Fewer rows where a mask cuts tiles.
// CHECK-LABEL: func.func @causal(
// CHECK: scf.forall {{.*}} step (1, 32)
// CHECK: scf.for {{.*}} step %c128
// CHECK: scf.forall {{.*}} step (1, 128)
// CHECK: return
func.func @causal(%query: tensor<?x?x64xf32>, %key: tensor<?x?x64xf32>, %value: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %heads = tensor.dim %query, %c0 : tensor<?x?x64xf32>
  %queries = tensor.dim %query, %c1 : tensor<?x?x64xf32>
  %keys = tensor.dim %key, %c1 : tensor<?x?x64xf32>
  %empty = tensor.empty(%heads, %queries, %keys) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%start : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%score: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %visible = arith.cmpi sle, %j, %i : index
    %kept = arith.select %visible, %score, %hidden : f32
    linalg.yield %kept : f32
  } -> tensor<?x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%masked : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %result_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%result_start : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x64xf32>
  return %result : tensor<?x?x64xf32>
}

// Near misses: a tile of memory that has the rows, ..
// CHECK-LABEL: func.func @added(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @added(%query: tensor<?x?x64xf32>, %key: tensor<?x?x64xf32>, %value: tensor<?x?x64xf32>, %mask: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %heads = tensor.dim %query, %c0 : tensor<?x?x64xf32>
  %queries = tensor.dim %query, %c1 : tensor<?x?x64xf32>
  %keys = tensor.dim %key, %c1 : tensor<?x?x64xf32>
  %empty = tensor.empty(%heads, %queries, %keys) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%start : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %mask : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%score: f32, %bias: f32, %out: f32):
    %sum = arith.addf %score, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<?x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%masked : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %result_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%result_start : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x64xf32>
  return %result : tensor<?x?x64xf32>
}

// .. pairs of 16-bit floats, ..
// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @narrow(%query: tensor<?x?x64xbf16>, %key: tensor<?x?x64xbf16>, %value: tensor<?x?x64xbf16>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %heads = tensor.dim %query, %c0 : tensor<?x?x64xbf16>
  %queries = tensor.dim %query, %c1 : tensor<?x?x64xbf16>
  %keys = tensor.dim %key, %c1 : tensor<?x?x64xbf16>
  %empty = tensor.empty(%heads, %queries, %keys) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%start : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %aw = arith.extf %a : bf16 to f32
    %bw = arith.extf %b : bf16 to f32
    %p = arith.mulf %aw, %bw : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %result_empty = tensor.empty(%heads, %queries) : tensor<?x?x64xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<?x?x?xf32>, tensor<?x?x64xbf16>) outs(%result_start : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %bw = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %bw : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x64xf32>
  return %result : tensor<?x?x64xf32>
}

// .. rows whose number is known.
// CHECK-LABEL: func.func @known(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @known(%query: tensor<?x300x64xf32>, %key: tensor<?x?x64xf32>, %value: tensor<?x?x64xf32>) -> tensor<?x300x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %heads = tensor.dim %query, %c0 : tensor<?x300x64xf32>
  %keys = tensor.dim %key, %c1 : tensor<?x?x64xf32>
  %empty = tensor.empty(%heads, %keys) : tensor<?x300x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x300x?xf32>) -> tensor<?x300x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%query, %key : tensor<?x300x64xf32>, tensor<?x?x64xf32>) outs(%start : tensor<?x300x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x300x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<?x300x?xf32>) outs(%empty : tensor<?x300x?xf32>) -> tensor<?x300x?xf32>
  %result_empty = tensor.empty(%heads) : tensor<?x300x64xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x300x64xf32>) -> tensor<?x300x64xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%weights, %value : tensor<?x300x?xf32>, tensor<?x?x64xf32>) outs(%result_start : tensor<?x300x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %c, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x300x64xf32>
  return %result : tensor<?x300x64xf32>
}
