// Positions of queries that come from memory, one for each: hosts take the tile's largest, or least, before the loop over
// keys, which ends, or begins, there.
// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify,trim,simplify --target=host:x86-64-v3 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify,trim,simplify --target=nvptx:sm_80 --verify | FileCheck %s --check-prefix=GPU
// RUN: sh -c 'for f in before behind both; do tcc-attn run %s --func=$f --random --check || exit 1; done'
// RUN: sh -c 'for f in before behind both; do tcc-attn run %s --func=$f --random=2 --check --threads=2 --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for f in before behind both; do tcc-attn run %s --func=$f --random=3 --check --device=ptx-emu || exit 1; done'

// GPU-NOT: arith.maxsi

#queries = affine_map<(h, q, k, d) -> (h, q, d)>
#keys = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>
#id = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (q)>
#head_row = affine_map<(h, q, k) -> (h, q)>

// CHECK-LABEL: func.func @before(
// CHECK: scf.forall
// CHECK: %[[TILE:.*]] = tensor.extract_slice %arg3[
// CHECK: %[[MOST:.*]] = linalg.generic {{.*}} ins(%[[TILE]] :
// CHECK: arith.maxsi
// CHECK: %[[LAST:.*]] = tensor.extract %[[MOST]][]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[LAST]]
// CHECK: affine.min {{.*}}(%[[INDEX]])
// CHECK: %[[END:.*]] = affine.min
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: return
func.func @before(%query: tensor<2x150x64xf32>, %key: tensor<2x700x64xf32>, %value: tensor<2x700x64xf32>, %position: tensor<150xi64>) -> tensor<2x150x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<2x150x700xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<2x150x64xf32>, tensor<2x700x64xf32>) outs(%s0 : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1, %position : tensor<2x150x700xf32>, tensor<150xi64>) outs(%se : tensor<2x150x700xf32>) {
  ^bb0(%score: f32, %at: i64, %o: f32):
    %k = linalg.index 2 : index
    %number = arith.index_cast %k : index to i64
    %visible = arith.cmpi sle, %number, %at : i64
    %masked = arith.select %visible, %score, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<2x150x700xf32>
  %w = linalg.softmax dimension(2) ins(%s2 : tensor<2x150x700xf32>) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %re = tensor.empty() : tensor<2x150x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<2x150x700xf32>, tensor<2x700x64xf32>) outs(%r0 : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  return %r : tensor<2x150x64xf32>
}

// The position on the other side, negated, in 32 bits, one for each head and query: keys from the least one on.
// CHECK-LABEL: func.func @behind(
// CHECK: scf.forall
// CHECK: arith.minsi
// CHECK: %[[FIRST:.*]] = tensor.extract %{{.*}}[] : tensor<i32>
// CHECK: arith.index_cast %[[FIRST]] : i32 to index
// CHECK: scf.for
// CHECK: return
func.func @behind(%query: tensor<2x150x64xf32>, %key: tensor<2x700x64xf32>, %value: tensor<2x700x64xf32>, %position: tensor<2x150xi32>) -> tensor<2x150x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<2x150x700xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<2x150x64xf32>, tensor<2x700x64xf32>) outs(%s0 : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s2 = linalg.generic {indexing_maps = [#id, #head_row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1, %position : tensor<2x150x700xf32>, tensor<2x150xi32>) outs(%se : tensor<2x150x700xf32>) {
  ^bb0(%score: f32, %at: i32, %o: f32):
    %k = linalg.index 2 : index
    %wide = arith.index_cast %at : i32 to index
    %is_hidden = arith.cmpi sgt, %wide, %k : index
    %masked = arith.select %is_hidden, %hidden, %score : f32
    linalg.yield %masked : f32
  } -> tensor<2x150x700xf32>
  %w = linalg.softmax dimension(2) ins(%s2 : tensor<2x150x700xf32>) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %re = tensor.empty() : tensor<2x150x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<2x150x700xf32>, tensor<2x700x64xf32>) outs(%r0 : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  return %r : tensor<2x150x64xf32>
}

// A first and a last key for each query.
// CHECK-LABEL: func.func @both(
// CHECK-DAG: arith.minsi
// CHECK-DAG: arith.maxsi
// CHECK: return
func.func @both(%query: tensor<2x150x64xf32>, %key: tensor<2x700x64xf32>, %value: tensor<2x700x64xf32>, %first: tensor<150xi64>, %last: tensor<150xi64>) -> tensor<2x150x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<2x150x700xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<2x150x64xf32>, tensor<2x700x64xf32>) outs(%s0 : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %s2 = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1, %first, %last : tensor<2x150x700xf32>, tensor<150xi64>, tensor<150xi64>) outs(%se : tensor<2x150x700xf32>) {
  ^bb0(%score: f32, %from: i64, %to: i64, %o: f32):
    %k = linalg.index 2 : index
    %number = arith.index_cast %k : index to i64
    %begun = arith.cmpi sge, %number, %from : i64
    %ended = arith.cmpi sge, %number, %to : i64
    %true = arith.constant true
    %not_ended = arith.xori %ended, %true : i1
    %visible = arith.andi %begun, %not_ended : i1
    %masked = arith.select %visible, %score, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<2x150x700xf32>
  %w = linalg.softmax dimension(2) ins(%s2 : tensor<2x150x700xf32>) outs(%se : tensor<2x150x700xf32>) -> tensor<2x150x700xf32>
  %re = tensor.empty() : tensor<2x150x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<2x150x700xf32>, tensor<2x700x64xf32>) outs(%r0 : tensor<2x150x64xf32>) -> tensor<2x150x64xf32>
  return %r : tensor<2x150x64xf32>
}
