// Subscripts and slices that are known at run time only and lie outside of their tensor are moved to its nearest place;
// those that follow from extents are checked in each call, and nothing is added where neither is needed.
// RUN: tcc-attn run %s --func=numbers --out=%t.rows.npy,%t.tokens.npy,%t.two.npy,%t.least.npy,%t.most.npy,%t.embedded.npy,%t.first.npy,%t.last.npy,%t.sum.npy,%t.written.npy,%t.pair.npy,%t.second.npy,%t.third.npy
// RUN: tcc-attn run %s --func=embed --in=%t.rows.npy,%t.tokens.npy --out=%t.npy && cmp %t.npy %t.embedded.npy
// RUN: tcc-attn run %s --func=put --in=%t.rows.npy,%t.two.npy,%t.least.npy --out=%t.npy && cmp %t.npy %t.first.npy
// RUN: tcc-attn run %s --func=put --in=%t.rows.npy,%t.two.npy,%t.most.npy --out=%t.npy && cmp %t.npy %t.last.npy
// RUN: not tcc-attn run %s --func=put --in=%t.two.npy,%t.rows.npy,%t.least.npy 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: tcc-attn run %s --func=branch --in=%t.rows.npy,%t.least.npy --out=%t.npy
// RUN: tcc-attn run %s --func=loop --in=%t.rows.npy --out=%t.npy && cmp %t.npy %t.sum.npy
// RUN: tcc-attn run %s --func=memory --in=%t.rows.npy,%t.tokens.npy,%t.embedded.npy --out=%t.npy,%t.2.npy,%t.3.npy && cmp %t.npy %t.written.npy
// RUN: sed '/^func.func @put/,$d' %s > %t.mlir && tcc-attn compile %t.mlir --target=nvptx:sm_80 -o %t.tecp
// RUN: tcc-attn run %t.tecp --func=embed --device=ptx-emu --in=%t.rows.npy,%t.tokens.npy --out=%t.npy && cmp %t.npy %t.embedded.npy
// RUN: tcc-attn opt %s --passes=simplify,shapes,simplify --verify | FileCheck %s
// RUN: sh -c 'for d in 30,40,69 1,1,1 0,7,0 30,40,100; do tcc-attn run %s --func=distances --random --dims=$d --check || exit 1; done'
// RUN: not tcc-attn run %s --func=distances --random --dims=30,40,68 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: sh -c 'for n in 3 4 9; do tcc-attn run %s --func=enough --random --dims=$n --check || exit 1; done'
// RUN: sh -c 'for n in 0 1 5; do tcc-attn run %s --func=none --random --dims=$n --check || exit 1; done'
// RUN: not tcc-attn run %s --func=embed --random --dims=0,3 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: tcc-attn run %s --func=constant --in=%t.rows.npy,%t.least.npy --out=%t.npy && cmp %t.npy %t.pair.npy
// RUN: tcc-attn run %s --func=part --in=%t.rows.npy,%t.least.npy --out=%t.npy && cmp %t.npy %t.second.npy
// RUN: tcc-attn run %s --func=part --in=%t.rows.npy,%t.most.npy --out=%t.npy && cmp %t.npy %t.third.npy
// RUN: tcc-attn run %s --func=part_of_part --in=%t.rows.npy,%t.least.npy --out=%t.npy && cmp %t.npy %t.second.npy
// RUN: tcc-attn run %s --func=part_of_part --in=%t.rows.npy,%t.most.npy --out=%t.npy && cmp %t.npy %t.third.npy
// RUN: sh -c 'for n in 10 11 30; do tcc-attn run %s --func=apart --random --dims=$n --check || exit 1; done'
// RUN: not tcc-attn run %s --func=apart --random --dims=9 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=digits --random --verify 2>&1 | FileCheck %s --check-prefix=UNFIT
// UNFIT: error: the shapes of the arguments of '{{put|distances|embed|apart|digits}}' do not fit together

func.func @numbers() -> (tensor<5x2xf32>, tensor<7xi32>, tensor<2x2xf32>, tensor<i64>, tensor<i64>, tensor<7x2xf32>, tensor<5x2xf32>,
    tensor<5x2xf32>, tensor<2xf32>, tensor<5x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %rows = arith.constant dense<[[0.0, 1.0], [10.0, 11.0], [20.0, 21.0], [30.0, 31.0], [40.0, 41.0]]> : tensor<5x2xf32>
  %tokens = arith.constant dense<[0, 4, 5, -1, 2147483647, -2147483648, 3]> : tensor<7xi32>
  %two = arith.constant dense<7.0> : tensor<2x2xf32>
  %least = arith.constant dense<-9223372036854775808> : tensor<i64>
  %most = arith.constant dense<9223372036854775807> : tensor<i64>
  %embedded = arith.constant dense<[[0.0, 1.0], [40.0, 41.0], [40.0, 41.0], [0.0, 1.0], [40.0, 41.0], [0.0, 1.0], [30.0, 31.0]]> : tensor<7x2xf32>
  %first = arith.constant dense<[[7.0, 7.0], [7.0, 7.0], [20.0, 21.0], [30.0, 31.0], [40.0, 41.0]]> : tensor<5x2xf32>
  %last = arith.constant dense<[[0.0, 1.0], [10.0, 11.0], [20.0, 21.0], [7.0, 7.0], [7.0, 7.0]]> : tensor<5x2xf32>
  %sum = arith.constant dense<[180.0, 187.0]> : tensor<2xf32>
  %written = arith.constant dense<[[0.0, 1.0], [10.0, 11.0], [20.0, 21.0], [40.0, 41.0], [30.0, 31.0]]> : tensor<5x2xf32>
  %pair = arith.constant dense<[[20.0], [30.0]]> : tensor<2x1xf32>
  %second = arith.constant dense<[[10.0, 11.0]]> : tensor<1x2xf32>
  %third = arith.constant dense<[[20.0, 21.0]]> : tensor<1x2xf32>
  return %rows, %tokens, %two, %least, %most, %embedded, %first, %last, %sum, %written, %pair, %second, %third : tensor<5x2xf32>, tensor<7xi32>, tensor<2x2xf32>,
      tensor<i64>, tensor<i64>, tensor<7x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<2xf32>, tensor<5x2xf32>, tensor<2x1xf32>,
      tensor<1x2xf32>, tensor<1x2xf32>
}

// The number of a token; the feature is that of a loop.
// CHECK-LABEL: func.func @embed(
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}(%{{.*}})
// CHECK: %[[ROW:.*]] = arith.index_cast %in : i32 to index
// CHECK: %[[LOW:.*]] = arith.minsi %[[ROW]], %[[LAST]] : index
// CHECK: %[[PLACE:.*]] = arith.maxsi %[[LOW]], %c0 : index
// CHECK: tensor.extract %arg0[%[[PLACE]], %{{[0-9]+}}] : tensor<?x2xf32>
func.func @embed(%rows: tensor<?x2xf32>, %tokens: tensor<?xi32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %tokens, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t)>, affine_map<(t, d) -> (t, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%tokens : tensor<?xi32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%token: i32, %out: f32):
    %d = linalg.index 1 : index
    %row = arith.index_cast %token : i32 to index
    %x = tensor.extract %rows[%row, %d] : tensor<?x2xf32>
    linalg.yield %x : f32
  } -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// A position from memory, as that of a token in a cache.
// CHECK-LABEL: func.func @put(
// CHECK: arith.minsi
// CHECK: arith.maxsi
func.func @put(%rows: tensor<?x2xf32>, %new: tensor<?x2xf32>, %at: tensor<i64>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %p = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %p : i64 to index
  %n = tensor.dim %new, %c0 : tensor<?x2xf32>
  %r = tensor.insert_slice %new into %rows[%i, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// A bias by distance: extents tell that all distances have one, or that a call does not fit.
// CHECK-LABEL: func.func @distances(
// CHECK-NOT: arith.minsi
// CHECK-NOT: arith.maxsi
// CHECK: return
func.func @distances(%scores: tensor<?x?xf32>, %table: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %scores, %c0 : tensor<?x?xf32>
  %m = tensor.dim %scores, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %last = arith.subi %n, %c1 : index
  %r = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%score: f32, %out: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %distance = arith.subi %k, %q : index
    %place = arith.addi %distance, %last : index
    %b = tensor.extract %table[%place] : tensor<?xf32>
    %sum = arith.addf %score, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Ranges tell that the places exist: remainders, quotients, bits, what is cut off already, both sides of a choice.
// CHECK-LABEL: func.func @ranges(
// CHECK-COUNT-2: arith.m{{..}}si
// CHECK-NOT: arith.m{{..}}si
// CHECK: return
func.func @ranges(%n: tensor<8xi32>, %table: tensor<16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]}
      ins(%n : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: i32, %out: f32):
    %t = linalg.index 0 : index
    %1 = arith.remui %x, %c16 : i32
    %2 = arith.andi %x, %c15 : i32
    %3 = arith.shrui %1, %c3 : i32
    %4 = arith.maxsi %x, %none : i32
    %5 = arith.minsi %4, %c15 : i32
    %i1 = arith.index_cast %1 : i32 to index
    %i2 = arith.index_cast %2 : i32 to index
    %i3 = arith.index_cast %3 : i32 to index
    %i5 = arith.index_cast %5 : i32 to index
    %6 = arith.addi %i3, %t : index
    %7 = arith.trunci %x : i32 to i4
    %i7 = arith.index_castui %7 : i4 to index
    %8 = arith.cmpi slt, %x, %c3 : i32
    %i8 = arith.select %8, %i7, %6 : index
    %e1 = tensor.extract %table[%i1] : tensor<16xf32>
    %e2 = tensor.extract %table[%i2] : tensor<16xf32>
    %e5 = tensor.extract %table[%i5] : tensor<16xf32>
    %e6 = tensor.extract %table[%6] : tensor<16xf32>
    %e7 = tensor.extract %table[%i7] : tensor<16xf32>
    %e8 = tensor.extract %table[%i8] : tensor<16xf32>
    %s1 = arith.addf %e1, %e2 : f32
    %s2 = arith.addf %e5, %e6 : f32
    %s3 = arith.addf %e7, %e8 : f32
    %s4 = arith.addf %s1, %s2 : f32
    %s5 = arith.addf %s3, %s4 : f32
    linalg.yield %s5 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A slice that only a branch takes, by a position that nothing is known of.
func.func @branch(%rows: tensor<5x2xf32>, %at: i64) -> tensor<2xf32> {
  %none = arith.constant 0 : i64
  %negative = arith.cmpi slt, %at, %none : i64
  %i = arith.index_cast %at : i64 to index
  %r = scf.if %negative -> (tensor<2xf32>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<2xf32>
    scf.yield %row : tensor<2xf32>
  } else {
    %row = tensor.extract_slice %rows[0, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<2xf32>
    scf.yield %row : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// A loop that goes on behind the end: the last row counts again. Within, ranges of loops tell.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[AT:.*]] = arith.minsi %{{.*}}, %c4
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0]
func.func @loop(%rows: tensor<5x2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%sum = %zero) -> tensor<2xf32> {
    %row = tensor.extract_slice %rows[%i, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<2xf32>
    %next = arith.addf %sum, %row : tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @tiles(
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @tiles(%x: tensor<?x6xf32>) -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %zero = arith.constant dense<0.0> : tensor<4x2xf32>
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%outer = %zero) -> tensor<4x2xf32> {
    %count = affine.min affine_map<(i, n) -> (4, n - i)>(%i, %n)
    %t = scf.for %j = %c0 to %c6 step %c2 iter_args(%sum = %outer) -> tensor<4x2xf32> {
      %part = tensor.extract_slice %x[%i, %j] [%count, 2] [1, 1] : tensor<?x6xf32> to tensor<?x2xf32>
      %old = tensor.extract_slice %sum[0, 0] [%count, 2] [1, 1] : tensor<4x2xf32> to tensor<?x2xf32>
      %next = linalg.add ins(%part, %old : tensor<?x2xf32>, tensor<?x2xf32>) outs(%old : tensor<?x2xf32>) -> tensor<?x2xf32>
      %whole = tensor.insert_slice %next into %sum[0, 0] [%count, 2] [1, 1] : tensor<?x2xf32> into tensor<4x2xf32>
      scf.yield %whole : tensor<4x2xf32>
    }
    scf.yield %t : tensor<4x2xf32>
  }
  return %r : tensor<4x2xf32>
}

// What is asked of extents in a branch counts where that is taken.
func.func @enough(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %are_enough = arith.cmpi sge, %n, %c4 : index
  %r = scf.if %are_enough -> tensor<4xf32> {
    %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %zero : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A loop over an empty tensor reads none of it.
func.func @none(%x: tensor<?x2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<2xf32> {
    %first = tensor.extract %x[%i, %c0] : tensor<?x2xf32>
    %row = tensor.extract_slice %x[%i, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<2xf32>
    %firsts = tensor.splat %first : tensor<2xf32>
    %both = arith.addf %row, %firsts : tensor<2xf32>
    %next = arith.addf %sum, %both : tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// Memory is as safe.
// CHECK-LABEL: func.func @memory(
// CHECK: %[[J:.*]] = arith.index_cast
// CHECK: %[[LOW:.*]] = arith.minsi %[[J]], %c6
// CHECK: %[[PLACE:.*]] = arith.maxsi %[[LOW]], %c0
// CHECK: memref.store %{{.*}}, %arg1[%[[PLACE]]]
func.func @memory(%rows: memref<5x2xf32>, %tokens: memref<7xi32>, %from: memref<7x2xf32>) {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c3 to %c1000 step %c1 {
    %row = memref.load %tokens[%i] : memref<7xi32>
    %j = arith.index_cast %row : i32 to index
    %k = arith.subi %i, %c1 : index
    %part = memref.subview %from[%k, 0] [1, 2] [1, 1] : memref<7x2xf32> to memref<2xf32, strided<[1], offset: ?>>
    %place = memref.subview %rows[%i, 0] [1, 2] [1, 1] : memref<5x2xf32> to memref<2xf32, strided<[1], offset: ?>>
    memref.copy %part, %place : memref<2xf32, strided<[1], offset: ?>> to memref<2xf32, strided<[1], offset: ?>>
    memref.store %row, %tokens[%j] : memref<7xi32>
  }
  return
}

// A position from memory behind one that is a constant.
// CHECK-LABEL: func.func @constant(
// CHECK: tensor.extract_slice %arg0[%c2, %{{[^]]*}}] [2, 1] [1, 1]
func.func @constant(%rows: tensor<?x?xf32>, %at: tensor<i64>) -> tensor<2x1xf32> {
  %c2 = arith.constant 2 : index
  %p = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %p : i64 to index
  %r = tensor.extract_slice %rows[%c2, %i] [2, 1] [1, 1] : tensor<?x?xf32> to tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// Every third element.
func.func @apart(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.extract_slice %x[0] [4] [3] : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// A row of the second and the third one, not of others.
func.func @part(%rows: tensor<5x2xf32>, %at: tensor<i64>) -> tensor<1x2xf32> {
  %p = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %p : i64 to index
  %part = tensor.extract_slice %rows[1, 0] [2, 2] [1, 1] : tensor<5x2xf32> to tensor<2x2xf32>
  %r = tensor.extract_slice %part[%i, 0] [1, 2] [1, 1] : tensor<2x2xf32> to tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// The second one of four rows, which begin with the first or the second one.
func.func @part_of_part(%rows: tensor<5x2xf32>, %at: tensor<i64>) -> tensor<1x2xf32> {
  %p = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %p : i64 to index
  %part = tensor.extract_slice %rows[%i, 0] [4, 2] [1, 1] : tensor<5x2xf32> to tensor<4x2xf32>
  %r = tensor.extract_slice %part[1, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// A quotient of an index that leaves the tensor is no slice of it: 30 numbers for 300 columns, of which there are 16.
// CHECK-LABEL: func.func @digits(
func.func @digits(%table: tensor<16xf32>) -> tensor<4x300xf32> {
  %empty = tensor.empty() : tensor<4x300xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<4x300xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 1 : index
    %at = affine.apply affine_map<(k) -> (k floordiv 10)>(%k)
    %x = tensor.extract %table[%at] : tensor<16xf32>
    linalg.yield %x : f32
  } -> tensor<4x300xf32>
  return %result : tensor<4x300xf32>
}
