// Products end where a mask hides what they would add or make; what the exponential subtracts must be finite for that.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Keys are visible up to the query and from 40 keys before it: scores are made in tiles of 6 x 16 where some key is, and
// the last product runs over whole groups of 4 keys.
// CHECK-DAG: #[[$HIGH:.*]] = affine_map<(d0) -> (64, ((d0 + 6) ceildiv 4) * 4)>
// CHECK-DAG: #[[$LOW:.*]] = affine_map<(d0) -> (0, ((d0 - 40) floordiv 4) * 4)>
// CHECK-DAG: #[[$SUM:.*]] = affine_map<(d0) -> (64, ((d0 + 1) ceildiv 32) * 32)>
// CHECK-DAG: #[[$MADE:.*]] = affine_map<(d0, d1) -> (((d0 floordiv 12) * -1) + ((d1 + 5) floordiv 12) + 1, 0)>
// CHECK-DAG: #[[$END:.*]] = affine_map<(d0) -> (64, (((d0 + 5) floordiv 12) * 12) + 12)>
// CHECK-LABEL: func.func @window(
// CHECK: affine.min
// CHECK: %[[DEPTH:.*]] = affine.min
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[DEPTH]] step
// CHECK: %[[LANES:.*]] = arith.constant dense<{{\[}}[0, 1, 2, {{.*}}, 15], [-1, 0, 1, {{.*}}> : vector<6x16xi32>
// CHECK: %[[ROOM:.*]] = vector.broadcast %{{.*}} : i32 to vector<6x16xi32>
// CHECK: arith.cmpi sle, %[[LANES]], %[[ROOM]] : vector<6x16xi32>
// CHECK: arith.select
// CHECK: math.exp
// CHECK: scf.for %{{.*}} = %{{.*}} to %c32 step
// CHECK: scf.for %[[ROW:arg[0-9]+]] =
// CHECK-DAG: %[[FIRST:.*]] = affine.max #[[$LOW]](%[[ROW]])
// CHECK-DAG: %[[LAST:.*]] = affine.min #[[$HIGH]](%[[ROW]])
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step
func.func @window(%q: memref<64x32xf32>, %k: memref<32x64xf32>, %v: memref<64x32xf32>, %o: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e+38 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %s = memref.alloca() : memref<64x64xf32>
  %m = memref.alloca() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<64x64xf32>)
  linalg.matmul ins(%q, %k : memref<64x32xf32>, memref<32x64xf32>) outs(%s : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%s : memref<64x64xf32>) {
  ^bb0(%x: f32):
    %width = arith.constant 40 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %late = arith.cmpi sgt, %j, %i : index
    %first = arith.subi %i, %width : index
    %early = arith.cmpi slt, %j, %first : index
    %out = arith.ori %late, %early : i1
    %y = arith.select %out, %hidden, %x : f32
    linalg.yield %y : f32
  }
  linalg.fill ins(%lowest : f32) outs(%m : memref<64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<64x64xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.maximumf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%max: f32, %x: f32):
    %y = arith.subf %x, %max : f32
    %e = math.exp %y : f32
    linalg.yield %e : f32
  }
  linalg.matmul ins(%s, %v : memref<64x64xf32>, memref<64x32xf32>) outs(%o : memref<64x32xf32>)
  return
}

// Keys of the query's block of 12, and of those before: a tile of scores is made where its first key's block is not behind
// its last query's; the last product runs to the end of that one's block. Quotients by constants are lanes.
// CHECK-LABEL: func.func @blocks(
// CHECK: affine.max #[[$MADE]](
// CHECK: arith.divui %{{.*}} : vector<16xindex>
// CHECK: math.exp
// CHECK: scf.for %{{.*}} = %{{.*}} to %c32 step
// CHECK: scf.for %[[ROW:arg[0-9]+]] =
// CHECK: %[[LAST:.*]] = affine.min #[[$END]](%[[ROW]])
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LAST]] step
func.func @blocks(%q: memref<64x32xf32>, %k: memref<32x64xf32>, %v: memref<64x32xf32>, %o: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e+38 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %s = memref.alloca() : memref<64x64xf32>
  %m = memref.alloca() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<64x64xf32>)
  linalg.matmul ins(%q, %k : memref<64x32xf32>, memref<32x64xf32>) outs(%s : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%s : memref<64x64xf32>) {
  ^bb0(%x: f32):
    %size = arith.constant 12 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %own = arith.divui %i, %size : index
    %its = arith.divui %j, %size : index
    %out = arith.cmpi sgt, %its, %own : index
    %y = arith.select %out, %hidden, %x : f32
    linalg.yield %y : f32
  }
  linalg.fill ins(%lowest : f32) outs(%m : memref<64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<64x64xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.maximumf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%max: f32, %x: f32):
    %y = arith.subf %x, %max : f32
    %e = math.exp %y : f32
    linalg.yield %e : f32
  }
  linalg.matmul ins(%s, %v : memref<64x64xf32>, memref<64x32xf32>) outs(%o : memref<64x32xf32>)
  return
}

// Exponentials of what is hidden are 0, but those of such zeros are 1.
// CHECK-LABEL: func.func @twice(
// CHECK: math.exp
// CHECK: math.exp
// CHECK-NOT: affine.min
// CHECK: return
func.func @twice(%s: memref<64x64xf32>, %v: memref<64x32xf32>, %o: memref<64x32xf32>) {
  %hidden = arith.constant 0xFF800000 : f32
  %minus = arith.constant -1.0 : f32
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%s : memref<64x64xf32>) {
  ^bb0(%x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %visible = arith.cmpi sle, %j, %i : index
    %z = arith.select %visible, %x, %hidden : f32
    %e = math.exp %z : f32
    %y = arith.mulf %e, %minus : f32
    %f = math.exp %y : f32
    linalg.yield %f : f32
  }
  linalg.matmul ins(%s, %v : memref<64x64xf32>, memref<64x32xf32>) outs(%o : memref<64x32xf32>)
  return
}

// The maximum may be -infinity itself, and then what is hidden is NaN, not 0.
// CHECK-LABEL: func.func @unknown_maximum(
// CHECK: math.exp
// CHECK-NOT: affine.min
// CHECK: return
func.func @unknown_maximum(%s: memref<64x64xf32>, %m: memref<64xf32>, %v: memref<64x32xf32>, %o: memref<64x32xf32>) {
  %hidden = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%max: f32, %x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %visible = arith.cmpi sle, %j, %i : index
    %z = arith.select %visible, %x, %hidden : f32
    %y = arith.subf %z, %max : f32
    %e = math.exp %y : f32
    linalg.yield %e : f32
  }
  linalg.matmul ins(%s, %v : memref<64x64xf32>, memref<64x32xf32>) outs(%o : memref<64x32xf32>)
  return
}

// The sum of exponentials is taken in as far as they are visible; the others are written as what they are, 0.
// CHECK-LABEL: func.func @sum(
// CHECK: arith.maximumf
// CHECK: scf.for %[[ROW:arg[0-9]+]] =
// CHECK: %[[END:.*]] = affine.min #[[$SUM]](%[[ROW]])
// CHECK: %[[LAST:.*]] = affine.max {{.*}}(%[[END]])
// CHECK: scf.for %[[J:arg[0-9]+]] = %[[LAST]] to %c64
// CHECK-NOT: exp
// CHECK: vector.transfer_write %cst{{.*}}, %{{.*}}[%[[ROW]], %[[J]]]
// CHECK: scf.for {{.*}} to %[[LAST]]
// CHECK: math.exp
// CHECK: arith.addf
func.func @sum(%s: memref<64x64xf32>, %sum: memref<64xf32>, %w: memref<64x64xf32>) {
  %lowest = arith.constant -3.0e+38 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = memref.alloca() : memref<64x64xf32>
  %m = memref.alloca() : memref<64xf32>
  %total = memref.alloca() : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<64x64xf32>) outs(%e : memref<64x64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %visible = arith.cmpi sle, %j, %i : index
    %z = arith.select %visible, %x, %hidden : f32
    linalg.yield %z : f32
  }
  linalg.fill ins(%lowest : f32) outs(%m : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%total : memref<64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<64x64xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.maximumf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<64xf32>) outs(%e : memref<64x64xf32>) {
  ^bb0(%max: f32, %x: f32):
    %y = arith.subf %x, %max : f32
    %z = math.exp %y : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<64x64xf32>) outs(%total : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.copy ins(%total : memref<64xf32>) outs(%sum : memref<64xf32>)
  linalg.copy ins(%e : memref<64x64xf32>) outs(%w : memref<64x64xf32>)
  return
}
