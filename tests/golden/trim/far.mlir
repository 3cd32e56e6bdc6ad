// A length that is far beyond all keys, times what a quotient is multiplied out with: nothing is hidden, and no bound wraps
// around.
// RUN: tcc-attn run %s --func=numbers --out=%t.q.npy,%t.k.npy,%t.1.npy,%t.2.npy,%t.3.npy
// RUN: sh -c 'for n in 1 2 3; do tcc-attn run %s --func=attention --in=%t.q.npy,%t.k.npy,%t.k.npy,%t.$n.npy --check --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for n in 1 2 3; do tcc-attn run %s --func=attention --in=%t.q.npy,%t.k.npy,%t.k.npy,%t.$n.npy --check || exit 1; done'

#queries = affine_map<(q, k, d) -> (q, d)>
#keys = affine_map<(q, k, d) -> (k, d)>
#scores = affine_map<(q, k, d) -> (q, k)>
#id = affine_map<(q, k) -> (q, k)>

func.func @numbers() -> (tensor<70x64xf32>, tensor<300x64xf32>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %q = arith.constant dense<0.5> : tensor<70x64xf32>
  %e = tensor.empty() : tensor<300x64xf32>
  %c37 = arith.constant 37 : index
  %k = linalg.generic {indexing_maps = [affine_map<(k, d) -> (k, d)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<300x64xf32>) {
  ^bb0(%o: f32):
    %at = linalg.index 0 : index
    %rest = arith.remui %at, %c37 : index
    %number = arith.index_cast %rest : index to i32
    %x = arith.sitofp %number : i32 to f32
    %y = math.sin %x : f32
    linalg.yield %y : f32
  } -> tensor<300x64xf32>
  %1 = arith.constant dense<5> : tensor<i64>
  %2 = arith.constant dense<17592186044416> : tensor<i64>
  %3 = arith.constant dense<9223372036854775807> : tensor<i64>
  return %q, %k, %1, %2, %3 : tensor<70x64xf32>, tensor<300x64xf32>, tensor<i64>, tensor<i64>, tensor<i64>
}

func.func @attention(%query: tensor<70x64xf32>, %key: tensor<300x64xf32>, %value: tensor<300x64xf32>, %length: tensor<i64>) -> tensor<70x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c16 = arith.constant 16 : i64
  %c5 = arith.constant 5 : i64
  %most = tensor.extract %length[] : tensor<i64>
  %se = tensor.empty() : tensor<70x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<70x300xf32>) -> tensor<70x300xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<70x64xf32>, tensor<300x64xf32>) outs(%s0 : tensor<70x300xf32>) -> tensor<70x300xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1 : tensor<70x300xf32>) outs(%se : tensor<70x300xf32>) {
  ^bb0(%score: f32, %o: f32):
    %k = linalg.index 1 : index
    %at = arith.index_cast %k : index to i64
    %block = arith.shrsi %at, %c16 : i64
    %place = arith.addi %block, %c5 : i64
    %seen = arith.cmpi sle, %place, %most : i64
    %x = arith.select %seen, %score, %hidden : f32
    linalg.yield %x : f32
  } -> tensor<70x300xf32>
  %w = linalg.softmax dimension(1) ins(%masked : tensor<70x300xf32>) outs(%se : tensor<70x300xf32>) -> tensor<70x300xf32>
  %out = tensor.empty() : tensor<70x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<70x64xf32>) -> tensor<70x64xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<70x300xf32>, tensor<300x64xf32>) outs(%start : tensor<70x64xf32>) -> tensor<70x64xf32>
  return %r : tensor<70x64xf32>
}
