// Bounds of loops with a running softmax are drawn in to where a score can be visible.
// RUN: tcc-attn opt %s --passes=trim,simplify | FileCheck %s

#all = affine_map<(q, k) -> (q, k)>
#sum = affine_map<(a, b) -> (a + b)>

// Causal: keys up to the last query of the tile, 31 further on than its first.
// CHECK-DAG: #[[CAUSAL:.*]] = affine_map<(d0) -> (128, d0 + 32)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> ((d0 - 40) ceildiv 16, 0)>
// CHECK-DAG: #[[STEPS:.*]] = affine_map<(d0) -> (d0 * 16)>
// CHECK-DAG: #[[PREFIX:.*]] = affine_map<(d0) -> (25, d0)>
// CHECK-DAG: #[[NEAR_FIRST:.*]] = affine_map<(d0) -> ((d0 - 39) ceildiv 16, 0)>
// CHECK-DAG: #[[NEAR_LAST:.*]] = affine_map<(d0) -> (128, d0 + 56)>
// CHECK-LABEL: @causal
// CHECK: %[[UPPER:.*]] = affine.min #[[CAUSAL]](%{{.*}})
// CHECK: scf.for %{{.*}} = %c0 to %[[UPPER]] step %c16
func.func @causal(%scores: tensor<32x128xf32>, %values: tensor<128x8xf32>, %row: index)
    -> (tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %out = tensor.empty() : tensor<32x8xf32>
  %out0 = linalg.fill ins(%zero : f32) outs(%out : tensor<32x8xf32>) -> tensor<32x8xf32>
  %r:3 = scf.for %key = %c0 to %c128 step %c16 iter_args(%o = %out0, %m = %max0, %s = %sum0)
      -> (tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = affine.apply #sum(%i, %row)
      %at = affine.apply #sum(%j, %key)
      %visible = arith.cmpi sle, %at, %query : index
      %y = arith.select %visible, %x, %hidden : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    %square = tensor.empty() : tensor<32x32xf32>
    %diag = linalg_ext.diag ins(%w#3 : tensor<32xf32>) outs(%square : tensor<32x32xf32>) -> tensor<32x32xf32>
    %scaled = linalg.matmul ins(%diag, %o : tensor<32x32xf32>, tensor<32x8xf32>) outs(%out0 : tensor<32x8xf32>) -> tensor<32x8xf32>
    %v = tensor.extract_slice %values[%key, 0] [16, 8] [1, 1] : tensor<128x8xf32> to tensor<16x8xf32>
    %next = linalg.matmul ins(%w#0, %v : tensor<32x16xf32>, tensor<16x8xf32>) outs(%scaled : tensor<32x8xf32>) -> tensor<32x8xf32>
    scf.yield %next, %w#1, %w#2 : tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>
}

// The same comparison of unsigned numbers, where neither side can be negative: the loop's counter starts at 0, and so do the
// rows of the tile.
// CHECK-LABEL: @unsigned
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16
func.func @unsigned(%scores: tensor<32x128xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %query = linalg.index 0 : index
      %j = linalg.index 1 : index
      %at = affine.apply #sum(%j, %key)
      %visible = arith.cmpi ule, %at, %query : index
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

// The last 26 keys: whole steps are left out before the first key of the tile's first query.
// CHECK-LABEL: @window
// CHECK: %[[FIRST_STEP:.*]] = affine.max #[[FIRST]](%{{.*}})
// CHECK: %[[LOWER:.*]] = affine.apply #[[STEPS]](%[[FIRST_STEP]])
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %c128 step %c16
func.func @window(%scores: tensor<32x128xf32>, %row: index) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c25 = arith.constant 25 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = arith.addi %i, %row : index
      %at = arith.addi %j, %key : index
      %low = arith.subi %query, %c25 : index
      %too_old = arith.cmpi slt, %at, %low : index
      %y = arith.select %too_old, %hidden, %x : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}

// Keys of a prefix, and those up to the query: the loop ends behind both.
// CHECK-LABEL: @prefix
// CHECK: %[[CAUSAL_LAST:.*]] = affine.min #[[CAUSAL]](%{{.*}})
// CHECK: %[[LAST:.*]] = affine.max #[[PREFIX]](%[[CAUSAL_LAST]])
// CHECK: scf.for %{{.*}} = %c0 to %[[LAST]] step %c16
func.func @prefix(%scores: tensor<32x128xf32>, %row: index) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c25 = arith.constant 25 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = arith.addi %i, %row : index
      %at = arith.addi %j, %key : index
      %early = arith.cmpi slt, %at, %c25 : index
      %past = arith.cmpi sle, %at, %query : index
      %seen = arith.ori %early, %past : i1
      %true = arith.constant true
      %hides = arith.xori %seen, %true : i1
      %y = arith.select %hides, %hidden, %x : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}

// Keys less than 25 away, in either direction.
// CHECK-LABEL: @near
// CHECK-DAG: affine.min #[[NEAR_LAST]](%{{.*}})
// CHECK-DAG: affine.max #[[NEAR_FIRST]](%{{.*}})
func.func @near(%scores: tensor<32x128xf32>, %row: index) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c25 = arith.constant 25 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = arith.addi %i, %row : index
      %at = arith.addi %j, %key : index
      %back = arith.subi %query, %at : index
      %distance = math.absi %back : index
      %far = arith.cmpi sge, %distance, %c25 : index
      %y = arith.select %far, %hidden, %x : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}

// What is hidden before one key only if it is behind another is hidden at neither end.
// CHECK-LABEL: @one_side
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
func.func @one_side(%scores: tensor<32x128xf32>, %row: index) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c25 = arith.constant 25 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %query = arith.addi %i, %row : index
      %at = arith.addi %j, %key : index
      %early = arith.cmpi slt, %at, %c25 : index
      %late = arith.cmpi sgt, %at, %query : index
      %hides = arith.andi %early, %late : i1
      %y = arith.select %hides, %hidden, %x : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}

// A mask that is finite hides nothing, and neither does a loop stay as it is that carries something else besides.
// CHECK-LABEL: @finite
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
func.func @finite(%scores: tensor<32x128xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, index) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %at = affine.apply #sum(%j, %key)
      %visible = arith.cmpi sle, %at, %i : index
      %y = arith.select %visible, %x, %lowest : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %w#1, %w#2 : tensor<32xf32>, tensor<32xf32>
  }
  %t:3 = scf.for %key = %c0 to %c128 step %c16 iter_args(%m = %max0, %s = %sum0, %n = %c0)
      -> (tensor<32xf32>, tensor<32xf32>, index) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x128xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %at = affine.apply #sum(%j, %key)
      %visible = arith.cmpi sle, %at, %i : index
      %y = arith.select %visible, %x, %hidden : f32
      linalg.yield %y : f32
    } -> tensor<32x16xf32>
    %w:4 = linalg_ext.softmax dimension(1) ins(%masked : tensor<32x16xf32>)
        outs(%empty, %m, %s, %rows : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    %more = arith.addi %n, %c1 : index
    scf.yield %w#1, %w#2, %more : tensor<32xf32>, tensor<32xf32>, index
  }
  return %r#0, %r#1, %t#0, %t#1, %t#2 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, index
}
