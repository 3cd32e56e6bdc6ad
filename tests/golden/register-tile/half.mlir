// Where a mask hides what is left from the first half of the lanes, products go on with the second half alone.
// RUN: tcc-attn opt %s --passes=register-tile,simplify --target=host:znver5 --verify | FileCheck %s

#all = affine_map<(j, i) -> (j, i)>
#lane = affine_map<(j, i) -> (i)>
#keys = affine_map<(i, j, f) -> (j, f)>
#queries = affine_map<(i, j, f) -> (f, i)>
#scores = affine_map<(i, j, f) -> (j, i)>
#values = affine_map<(i, c, j) -> (j, c)>
#weights = affine_map<(i, c, j) -> (j, i)>
#sums = affine_map<(i, c, j) -> (c, i)>

// Queries are lanes, keys are rows; keys are visible up to query + first. From the tile of 12 keys on that no query of
// the first 16 sees, theirs are written without a product. The last product takes all lanes up to the last four keys
// that they see, and then the second half.
// CHECK-DAG: #[[$TILES:.*]] = affine_map<(d0) -> ((d0 + 16) ceildiv 12, 0)>
// CHECK-DAG: #[[$KEYS:.*]] = affine_map<(d0) -> (48, d0 * 12)>
// CHECK-DAG: #[[$FOURS:.*]] = affine_map<(d0) -> ((d0 + 16) ceildiv 4, 0)>
// CHECK-LABEL: func.func @causal(
// CHECK: %[[COUNT:.*]] = affine.max #[[$TILES]](%{{.*}})
// CHECK: %[[SEAM:.*]] = affine.min #[[$KEYS]](%[[COUNT]])
// CHECK: scf.for %{{.*}} = %c0 to %[[SEAM]] step %c12
// CHECK: vector.contract {{.*}} into vector<12x32xf32>
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %[[SEAM]] to %c48 step %c12
// CHECK-NOT: vector.contract
// CHECK: arith.select {{.*}} vector<12x16xf32>
// CHECK: scf.for %[[ROW:.*]] = %[[SEAM]] to %c48 step %c12
// CHECK: vector.contract {{.*}} into vector<12x16xf32>
// CHECK-NOT: scf.if
// CHECK: vector.transfer_write %{{.*}}[%[[ROW]], %c16{{.*}}] {{.*}} vector<12x16xf32>
// CHECK: math.exp
// CHECK: affine.max #[[$FOURS]](%{{.*}})
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} -> (vector<8x32xf32>)
// CHECK: %[[HALF:.*]] = vector.extract_strided_slice %[[SUMS]] {offsets = [0, 16], sizes = [8, 16], strides = [1, 1]}
// CHECK-NEXT: %[[REST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[HALF]]) -> (vector<8x16xf32>)
// CHECK: vector.insert_strided_slice %[[REST]], %[[SUMS]] {offsets = [0, 16], strides = [1, 1]}
func.func @causal(%q: memref<32x32xf32>, %k: memref<48x32xf32>, %v: memref<48x32xf32>, %o: memref<32x32xf32>, %first: index) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e+38 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %s = memref.alloca() : memref<48x32xf32>
  %m = memref.alloca() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<48x32xf32>)
  linalg.generic {indexing_maps = [#keys, #queries, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%k, %q : memref<48x32xf32>, memref<32x32xf32>) outs(%s : memref<48x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %sum, %p : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%s : memref<48x32xf32>) {
  ^bb0(%x: f32):
    %j = linalg.index 0 : index
    %i = linalg.index 1 : index
    %last = arith.addi %i, %first : index
    %seen = arith.cmpi sle, %j, %last : index
    %y = arith.select %seen, %x, %hidden : f32
    linalg.yield %y : f32
  }
  linalg.fill ins(%lowest : f32) outs(%m : memref<32xf32>)
  linalg.generic {indexing_maps = [#all, #lane], iterator_types = ["reduction", "parallel"]}
      ins(%s : memref<48x32xf32>) outs(%m : memref<32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.maximumf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#lane, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<32xf32>) outs(%s : memref<48x32xf32>) {
  ^bb0(%max: f32, %x: f32):
    %y = arith.subf %x, %max : f32
    %e = math.exp %y : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#values, #weights, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v, %s : memref<48x32xf32>, memref<48x32xf32>) outs(%o : memref<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %sum, %p : f32
    linalg.yield %y : f32
  }
  return
}
