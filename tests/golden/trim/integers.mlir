// What a mask compares may be integers of any width, and lengths from memory that are the same for all elements of a tile: those
// are read before the loop. Each line below puts another comparison in the place of the one that is there.
// RUN: tcc-attn opt %s --passes=trim,simplify | FileCheck %s --check-prefix=LENGTH
// LENGTH: %[[LENGTH:.*]] = tensor.extract %arg1[%c0] : tensor<1xi32>
// LENGTH: %[[INDEX:.*]] = arith.index_cast %[[LENGTH]] : i32 to index
// LENGTH: %[[UPPER:.*]] = affine.min #{{.*}}(%[[INDEX]])
// LENGTH: scf.for %{{.*}} = %c0 to %[[UPPER]] step %c16
// LENGTH: arith.cmpi slt, %{{.*}}, %[[LENGTH]] : i32

// What is computed from a length wraps around before the loop as it would in it.
// RUN: sed 's/^      %%visible = .*/%%l = arith.addi %%length, %%width : i32\n%%n = arith.extsi %%l : i32 to i64\n%%visible = arith.cmpi sge, %%n, %%wide : i64/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=SUM
// SUM: %[[SUM:.*]] = arith.addi %{{.*}}, %arg4 : i32
// SUM: arith.index_cast %[[SUM]] : i32 to index
// SUM: affine.min
// SUM: scf.for

// Rows against columns, both narrow: the rows end at 32.
// RUN: sed 's/^      %%visible = .*/%%visible = arith.cmpi sge, %%row, %%at : i32/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/^      %%visible = .*/%%visible = arith.cmpi uge, %%row, %%cut : i32/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ROWS
// ROWS: scf.for %{{.*}} = %c0 to %c32 step %c16

// A length for each row: hosts take the largest (positions.mlir), GPUs none.
// RUN: sed 's/^      %%visible = .*/%%visible = arith.cmpi slt, %%at, %%each : i32/' %s | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=EACH
// RUN: sed 's/^      %%visible = .*/%%visible = arith.cmpi slt, %%at, %%each : i32/' %s | tcc-attn opt - --passes=trim,simplify --target=nvptx:sm_80 | FileCheck %s --check-prefix=ALL
// EACH: arith.maxsi
// EACH: %[[MOST:.*]] = tensor.extract
// EACH: arith.index_cast %[[MOST]] : i32 to index
// EACH: affine.min
// EACH-NEXT: scf.for

// Near misses: a length added to the position, which may wrap around; a position that no longer fits.
// RUN: sed 's/^      %%visible = .*/%%l = arith.addi %%length, %%at : i32\n%%visible = arith.cmpi slt, %%l, %%width : i32/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// RUN: sed 's/^      %%visible = .*/%%b = arith.trunci %%wide : i64 to i8\n%%visible = arith.cmpi slt, %%b, %%byte : i8/' %s \
// RUN:   | tcc-attn opt - --passes=trim,simplify | FileCheck %s --check-prefix=ALL
// ALL: scf.for %{{.*}} = %c0 to %c144 step %c16

#all = affine_map<(q, k) -> (q, k)>
#one = affine_map<(q, k) -> (0)>
#rows = affine_map<(q, k) -> (q)>
func.func @attention(%scores: tensor<32x144xf32>, %lengths: tensor<1xi32>, %row_lengths: tensor<32xi32>, %byte: i8, %width: i32)
    -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c144 = arith.constant 144 : index
  %rows = tensor.empty() : tensor<32xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %r:2 = scf.for %key = %c0 to %c144 step %c16 iter_args(%m = %max0, %s = %sum0) -> (tensor<32xf32>, tensor<32xf32>) {
    %tile = tensor.extract_slice %scores[0, %key] [32, 16] [1, 1] : tensor<32x144xf32> to tensor<32x16xf32>
    %empty = tensor.empty() : tensor<32x16xf32>
    %masked = linalg.generic {indexing_maps = [#all, #one, #rows, #all], iterator_types = ["parallel", "parallel"]}
        ins(%tile, %lengths, %row_lengths : tensor<32x16xf32>, tensor<1xi32>, tensor<32xi32>) outs(%empty : tensor<32x16xf32>) {
    ^bb0(%x: f32, %length: i32, %each: i32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %position = arith.addi %j, %key : index
      %row = arith.index_cast %i : index to i32
      %at = arith.index_cast %position : index to i32
      %wide = arith.index_cast %position : index to i64
      %cut = arith.trunci %wide : i64 to i32
      %visible = arith.cmpi slt, %at, %length : i32
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
