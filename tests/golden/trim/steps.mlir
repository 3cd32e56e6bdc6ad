// What a mask compares may be divided by constants: such a step is known at the first and the last row of a tile. The mask
// that is there has blocks of 20 keys, of which a query sees its own and those before. Each line below puts another one in
// its place.
// RUN: tcc-attn opt %s --passes=trim,simplify | FileCheck %s --check-prefix=BLOCKS
// RUN: sed 's/sle, %%its, %%own/slt, %%at, %%end/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: #[[LAST:.*]] = affine_map<(d0) -> (144, (((d0 + 31) floordiv 20) * 20) + 20)>
// BLOCKS: %[[UPPER:.*]] = affine.min #[[LAST]](%{{.*}})
// BLOCKS: scf.for %{{.*}} = %c0 to %[[UPPER]] step %c16

// Its own block only, from the step in which the first query's begins to the end of the last one's.
// RUN: sed 's/sle, %%its/eq, %%its/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=OWN
// RUN: sed 's/sle, %%its/eq, %%its/; s/^      %%its = .*/%%its = affine.apply affine_map<(i) -> (i floordiv 20)>(%%at)/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=OWN
// OWN-DAG: #[[LAST:.*]] = affine_map<(d0) -> (144, (((d0 + 31) floordiv 20) * 20) + 20)>
// OWN-DAG: #[[FIRST:.*]] = affine_map<(d0) -> ((((d0 floordiv 20) * 20) - 15) ceildiv 16, 0)>
// OWN-DAG: %[[UPPER:.*]] = affine.min #[[LAST]](%{{.*}})
// OWN-DAG: %[[STEPS:.*]] = affine.max #[[FIRST]](%{{.*}})
// OWN: %[[LOWER:.*]] = affine.apply #{{.*}}(%[[STEPS]])
// OWN: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]] step %c16

// Shifts of wide integers; quotients of quotients; blocks of another length for queries.
// RUN: sed 's/sle, %%its, %%own : index/sle, %%a, %%b : i64/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=SHIFT
// SHIFT: affine_map<(d0) -> (144, (((d0 + 31) floordiv 16) * 16) + 16)>
// SHIFT: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c16
// RUN: sed 's/^      %%its = .*/%%fourth = arith.divui %%at, %%c4 : index\n%%its = arith.divui %%fourth, %%c20 : index/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=TWICE
// TWICE: affine_map<(d0) -> (144, (((d0 + 31) floordiv 20) * 80) + 80)>
// TWICE: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c16
// RUN: sed 's/floordivsi %%query, %%c20/floordivsi %%query, %%c16/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=OTHER
// OTHER: affine_map<(d0) -> (144, (((d0 + 31) floordiv 16) * 20) + 20)>
// OTHER: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c16

// Near misses: quotients that are not rounded down where the query is negative; a divisor that is not known, or not
// positive; a factor that may carry a sum beyond 64 bits; a position in fewer bits than it needs; a key less 4.
// RUN: sed 's/floordivsi %%query/divsi %%query/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/floordivsi %%query/divui %%query/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/shrsi %%wide_query/shrui %%wide_query/; s/sle, %%its, %%own : index/sle, %%a, %%b : i64/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/floordivsi %%query, %%c20/floordivsi %%query, %%unknown/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/c20 = arith.constant 20/c20 = arith.constant -20/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/c20 = arith.constant 20/c20 = arith.constant 1000000/; s/sle, %%its, %%own/sle, %%its, %%row/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/sle, %%its, %%own : index/sle, %%q, %%four : i8/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/^      %%its = .*/%%less = arith.subi %%at, %%c4 : index\n%%less_its = arith.floordivsi %%less, %%c20 : index\n%%its = arith.divui %%less_its, %%c4 : index/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// ALL: scf.for %{{.*}} = %c0 to %c144 step %c16

#all = affine_map<(q, k) -> (q, k)>
func.func @attention(%scores: tensor<32x144xf32>, %row: index, %unknown: index) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c144 = arith.constant 144 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c144 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x144xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = arith.addi %i, %row : index
      %at = arith.addi %j, %key : index
      %its = arith.divui %at, %c20 : index
      %own = arith.floordivsi %query, %c20 : index
      %next = arith.addi %own, %c1 : index
      %end = arith.muli %c20, %next : index
      %shift = arith.constant 4 : i64
      %wide = arith.index_cast %at : index to i64
      %wide_query = arith.index_cast %query : index to i64
      %a = arith.shrui %wide, %shift : i64
      %b = arith.shrsi %wide_query, %shift : i64
      %four = arith.constant 4 : i8
      %narrow = arith.trunci %wide : i64 to i8
      %q = arith.floordivsi %narrow, %four : i8
      %visible = arith.cmpi sle, %its, %own : index
      %y = arith.select %visible, %x, %hidden : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}
