// What stands outside of all kernels becomes kernels of one element an iteration, which "distribute" deals out to lanes: a
// fill, a gather, whose rows are known at run time only, and a sum over what no output has among its subscripts.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=element-kernels,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=element-kernels,simplify,distribute,simplify | FileCheck %s --check-prefix=LANE
// RUN: tcc-attn run %s --device=ptx-emu --random --dims=9 --check
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @gather(%numbers: memref<?xi64>, %table: memref<100x33xf32>, %picked: memref<?x33xf32>, %sums: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %hundred = arith.constant 100 : i64
  linalg.fill ins(%zero : f32) outs(%sums : memref<?xf32>)
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
    ins(%numbers : memref<?xi64>) outs(%picked : memref<?x33xf32>) {
  ^bb0(%number: i64, %old: f32):
    %j = linalg.index 1 : index
    %rest = arith.remui %number, %hundred : i64
    %row = arith.index_cast %rest : i64 to index
    %x = memref.load %table[%row, %j] : memref<100x33xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
    ins(%picked : memref<?x33xf32>) outs(%sums : memref<?xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.addf %sum, %x : f32
    linalg.yield %next : f32
  }
  return
}
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]] : memref<?xf32>
// CHECK-NEXT: } {tec.by_element}
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, 33) {
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<?xi64>
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%{{.*}}, %[[J]]] : memref<100x33xf32>
// CHECK: memref.store %[[X]], %{{.*}}[%[[I]], %[[J]]] : memref<?x33xf32>
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK: %[[OLD:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xf32>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[OLD]]) -> (f32)
// CHECK: memref.load %{{.*}}[%[[I]], %[[K]]] : memref<?x33xf32>
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[I]]] : memref<?xf32>
// LANE: scf.forall (%[[BLOCK:.*]]) in
// LANE: %[[LANE:.*]] = gpu.thread_id x
// LANE: scf.if
// LANE: memref.store
// LANE: mapping = [#gpu.block<x>], tec.threads = 256
// LANE: arith.remui
// LANE: arith.divui
