// A position in a cache of keys that the caller gives, or memory, in 32 or 64 bits: sums with it may wrap around where it is
// far beyond any key, so tiles are left out where it is near, and all are computed elsewhere.
// RUN: tcc-attn opt %s --passes=simplify,schedule,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %s --func=numbers --out=%t.0.npy,%t.1.npy,%t.2.npy,%t.3.npy,%t.4.npy,%t.5.npy,%t.6.npy,%t.7.npy
// RUN: sh -c 'for n in 0 1 2 3 4 5 6 7; do tcc-attn run %s --func=ones --out=%t.q.npy,%t.k.npy && tcc-attn run %s --func=attention --in=%t.q.npy,%t.k.npy,%t.k.npy,%t.$n.npy --check || exit 1; done'
// RUN: sed 's/%%pos: i32/%%given: tensor<i32>/; s/^  %%w5 =/  %%pos = tensor.extract %%given[] : tensor<i32>\n  %%w5 =/' %s > %t.memory.mlir
// RUN: tcc-attn opt %t.memory.mlir --passes=simplify,schedule,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: sh -c 'for n in 0 1 2 3 4 5 6 7; do tcc-attn run %t.memory.mlir --func=attention --in=%t.q.npy,%t.k.npy,%t.k.npy,%t.$n.npy --check || exit 1; done'
// RUN: sed 's/i32/i64/g; s/2147483/9223372036854775/g; s/1073741/4611686018427/g' %s > %t.wide.mlir
// RUN: tcc-attn opt %t.wide.mlir --passes=simplify,schedule,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %t.wide.mlir --func=numbers --out=%t.0.npy,%t.1.npy,%t.2.npy,%t.3.npy,%t.4.npy,%t.5.npy,%t.6.npy,%t.7.npy
// RUN: sh -c 'for n in 0 1 2 3 4 5 6 7; do tcc-attn run %t.wide.mlir --func=attention --in=%t.q.npy,%t.k.npy,%t.k.npy,%t.$n.npy --check || exit 1; done'
// Bytes are never near: their sums may wrap around at any position.
// RUN: sed 's/i32/i8/g' %s | sed '/^func.func @numbers/,/^}/d' | tcc-attn opt - --passes=simplify,schedule,trim,simplify --target=host:znver4 | FileCheck %s --check-prefix=ALL
// ALL: scf.for %{{.*}} = %c0 to %c300{{.*}} step

// CHECK-LABEL: func.func @attention(
// CHECK: %[[BELOW:.*]] = arith.cmpi sle, %{{.*}}, %c1073741824
// CHECK: %[[NEAR:.*]] = arith.andi %{{.*}}, %[[BELOW]]
// CHECK: %[[ROOM:.*]] = arith.select %[[NEAR]], %{{.*}}, %c17592186044416
// CHECK: %[[UPPER:.*]] = affine.min #{{.*}}(%[[ROOM]])
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[UPPER]] step

#queries = affine_map<(h, q, k, d) -> (h, q, d)>
#keys = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>
#id = affine_map<(h, q, k) -> (h, q, k)>

func.func @numbers() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %0 = arith.constant dense<0> : tensor<i32>
  %1 = arith.constant dense<100> : tensor<i32>
  %2 = arith.constant dense<-30> : tensor<i32>
  %3 = arith.constant dense<2147483647> : tensor<i32>
  %4 = arith.constant dense<2147483600> : tensor<i32>
  %5 = arith.constant dense<-2147483648> : tensor<i32>
  %6 = arith.constant dense<1073741900> : tensor<i32>
  %7 = arith.constant dense<-1073741900> : tensor<i32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

func.func @ones() -> (tensor<1x70x16xf32>, tensor<1x300x16xf32>) {
  %q = tensor.empty() : tensor<1x70x16xf32>
  %k = tensor.empty() : tensor<1x300x16xf32>
  %c37 = arith.constant 37 : index
  %some = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%q : tensor<1x70x16xf32>) {
  ^bb0(%o: f32):
    %one = arith.constant 1.0 : f32
    linalg.yield %one : f32
  } -> tensor<1x70x16xf32>
  %each = linalg.generic {indexing_maps = [affine_map<(h, k, d) -> (h, k, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%k : tensor<1x300x16xf32>) {
  ^bb0(%o: f32):
    %at = linalg.index 1 : index
    %rest = arith.remui %at, %c37 : index
    %number = arith.index_cast %rest : index to i32
    %x = arith.sitofp %number : i32 to f32
    linalg.yield %x : f32
  } -> tensor<1x300x16xf32>
  return %some, %each : tensor<1x70x16xf32>, tensor<1x300x16xf32>
}

func.func @attention(%query: tensor<1x70x16xf32>, %key: tensor<1x300x16xf32>, %value: tensor<1x300x16xf32>, %pos: i32) -> tensor<1x70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %tenth = arith.constant 0.1 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %w5 = arith.constant 100 : i32
  %se = tensor.empty() : tensor<1x70x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x70x300xf32>) -> tensor<1x70x300xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<1x70x16xf32>, tensor<1x300x16xf32>) outs(%s0 : tensor<1x70x300xf32>) -> tensor<1x70x300xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x70x300xf32>) outs(%se : tensor<1x70x300xf32>) {
  ^bb0(%score: f32, %o: f32):
    %q = linalg.index 1 : index
    %k = linalg.index 2 : index
    %row = arith.index_cast %q : index to i32
    %at = arith.index_cast %k : index to i32
    %own = arith.addi %row, %pos : i32
    %first = arith.subi %own, %w5 : i32
    %before = arith.cmpi sle, %at, %own : i32
    %behind = arith.cmpi sgt, %at, %first : i32
    %seen = arith.andi %before, %behind : i1
    %scaled = arith.mulf %score, %tenth : f32
    %x = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %x : f32
  } -> tensor<1x70x300xf32>
  %w = linalg.softmax dimension(2) ins(%masked : tensor<1x70x300xf32>) outs(%se : tensor<1x70x300xf32>) -> tensor<1x70x300xf32>
  %out = tensor.empty() : tensor<1x70x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<1x70x16xf32>) -> tensor<1x70x16xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<1x70x300xf32>, tensor<1x300x16xf32>) outs(%start : tensor<1x70x16xf32>) -> tensor<1x70x16xf32>
  return %r : tensor<1x70x16xf32>
}
