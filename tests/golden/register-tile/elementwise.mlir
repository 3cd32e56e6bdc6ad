// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s
// One value a row is computed once as a scalar and repeated; four registers of a row at a time.
func.func @scale(%x: memref<16x64xf32>, %s: memref<16xf32>, %y: memref<16x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                   affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<16x64xf32>, memref<16xf32>) outs(%y : memref<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %e = math.exp %b : f32
    %p = arith.mulf %a, %e : f32
    linalg.yield %p : f32
  }
  return
}
// CHECK-LABEL: func.func @scale(
// CHECK: scf.for %[[I:.*]] = %c0 to %c16 step %c1
// CHECK: scf.for {{.*}} step %c32
// CHECK: %[[S:.*]] = memref.load %{{.*}}[%[[I]]] : memref<16xf32>
// CHECK: %[[E:.*]] = math.exp %[[S]] : f32
// CHECK: %[[B:.*]] = vector.broadcast %[[E]] : f32 to vector<32xf32>
// CHECK: arith.mulf %{{.*}}, %[[B]] : vector<32xf32>

// Positions are the start of the tile and the numbers of the lanes.
func.func @causal(%x: memref<16x64xf32>) {
  %low = arith.constant -1.0e+30 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<16x64xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %m = arith.select %seen, %a, %low : f32
    linalg.yield %m : f32
  }
  return
}
// CHECK-LABEL: func.func @causal(
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, {{.*}}, 31]> : vector<32xi32>
// CHECK: %[[ROOM:.*]] = vector.broadcast %{{.*}} : i32 to vector<32xi32>
// CHECK: arith.cmpi sle, %[[LANES]], %[[ROOM]] : vector<32xi32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<32xi1>, vector<32xf32>

// What is added to them in steps is not the number of a lane.
func.func @steps(%x: memref<16x64xf32>) {
  %low = arith.constant -1.0e+30 : f32
  %c3 = arith.constant 3 : index
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<16x64xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i_step = arith.divui %i, %c3 : index
    %j_step = arith.divui %j, %c3 : index
    %i_end = arith.addi %i, %i_step : index
    %j_end = arith.addi %j, %j_step : index
    %seen = arith.cmpi sge, %i_end, %j_end : index
    %m = arith.select %seen, %a, %low : f32
    linalg.yield %m : f32
  }
  return
}
// CHECK-LABEL: func.func @steps(
// CHECK: arith.divui %{{.*}}, %{{.*}} : vector<32xindex>
// CHECK: arith.select

// A quotient of integers must not be computed for lanes that do not exist.
func.func @quotient(%x: memref<9xi32>, %y: memref<9xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<9xi32>) outs(%y : memref<9xi32>) {
  ^bb0(%a: i32, %old: i32):
    %q = arith.divsi %old, %a : i32
    linalg.yield %q : i32
  }
  return
}
// CHECK-LABEL: func.func @quotient(
// CHECK: scf.for {{.*}} to %c9 step %c1
// CHECK: arith.divsi %{{.*}}, %{{.*}} : i32
// CHECK: memref.store

// One by a constant above 0 can be.
func.func @fifth(%x: memref<9xi32>) {
  %c5 = arith.constant 5 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<9xi32>) {
  ^bb0(%a: i32):
    %q = arith.divsi %a, %c5 : i32
    linalg.yield %q : i32
  }
  return
}
// CHECK-LABEL: func.func @fifth(
// CHECK: arith.divsi %{{.*}}, %{{.*}} : vector<{{[0-9]+}}xi32>
