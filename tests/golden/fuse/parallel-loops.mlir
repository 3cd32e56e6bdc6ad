// RUN: tcc-attn opt %s --passes=transform,simplify,parallelize,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=rows --random --check --threads=2 | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=product --random --dims=37 --check --threads=2 | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=overlapping --random --check --threads=2 | FileCheck %s --check-prefix=GOOD
// RUN: tcc-attn run %s --func=swapped --random --check --threads=2 | FileCheck %s --check-prefix=GOOD
// Loops that the script labels parallel become one scf.forall. An iteration takes its part of what the loops carry, and
// the sequential loop inside works on that. What they start as is filled part by part.
// GOOD: good

// CHECK-LABEL: func.func @rows(
// CHECK: scf.forall (%[[I:.*]]) = (0) to (6) step (2) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<6x24x10xf32>)
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0, 0] [2, 24, 10]
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}}) outs(%[[OWN]] : tensor<2x24x10xf32>)
// CHECK: %[[K:.*]] = scf.for {{.*}} iter_args(%[[K_OWN:.*]] = %[[ZERO]]) -> (tensor<2x24x10xf32>)
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[J_OWN:.*]] = %[[K_OWN]]) -> (tensor<2x24x10xf32>)
// CHECK: tensor.extract_slice %[[J_OWN]][0, %[[J]], 0] [2, 8, 10]
// CHECK: tensor.insert_slice %{{.*}} into %[[J_OWN]][0, %[[J]], 0] [2, 8, 10]
// CHECK: tensor.parallel_insert_slice %[[K]] into %[[OUT]][%[[I]], 0, 0] [2, 24, 10]
func.func @rows(%a: tensor<6x24x14xf32>, %b: tensor<6x14x10xf32>) -> tensor<6x24x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x24x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x24x10xf32>) -> tensor<6x24x10xf32>
  %r = linalg.batch_matmul {__rows__} ins(%a, %b : tensor<6x24x14xf32>, tensor<6x14x10xf32>) outs(%z : tensor<6x24x10xf32>) -> tensor<6x24x10xf32>
  return %r : tensor<6x24x10xf32>
}

// Two loops in one, with tiles at the edge.
// CHECK-LABEL: func.func @product(
// CHECK: scf.forall (%[[M:.*]], %[[N:.*]]) = (0, 0) to (%{{.*}}, 50) step (16, 32)
// CHECK-DAG: %[[ROWS:.*]] = affine.min {{.*}}%[[M]])
// CHECK-DAG: %[[COLUMNS:.*]] = affine.min {{.*}}(%[[N]])
// CHECK: tensor.extract_slice %{{.*}}[%[[M]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]]
// CHECK: scf.for
// CHECK: tensor.parallel_insert_slice %{{.*}}[%[[M]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]]
func.func @product(%a: tensor<?x40xf32>, %b: tensor<40x50xf32>) -> tensor<?x50xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x50xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x50xf32>) -> tensor<?x50xf32>
  %r = linalg.matmul {__product__} ins(%a, %b : tensor<?x40xf32>, tensor<40x50xf32>) outs(%z : tensor<?x50xf32>) -> tensor<?x50xf32>
  return %r : tensor<?x50xf32>
}

// A label does not make it so: each iteration reads what the one before has written.
// CHECK-LABEL: func.func @overlapping(
// CHECK-NOT: scf.forall
// CHECK: scf.for
func.func @overlapping(%x: tensor<20xf32>) -> tensor<20xf32> attributes {tec.scheduled} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c4 iter_args(%t = %x) -> (tensor<20xf32>) {
    %s = tensor.extract_slice %t[%i] [8] [1] : tensor<20xf32> to tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %d = linalg.add ins(%s, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %n = tensor.insert_slice %d into %t[%i] [8] [1] : tensor<8xf32> into tensor<20xf32>
    scf.yield %n : tensor<20xf32>
  } {__tec_parallel__}
  return %r : tensor<20xf32>
}

// Nor is a part of it enough: the loop inside ends with another tensor than the one whose parts it writes.
// CHECK-LABEL: func.func @swapped(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @swapped(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> attributes {tec.scheduled} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c4 iter_args(%t = %x) -> (tensor<16xf32>) {
    %k = scf.for %j = %c0 to %c4 step %c2 iter_args(%u = %t) -> (tensor<16xf32>) {
      %s = tensor.extract_slice %u[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>
      %n = tensor.insert_slice %s into %y[%i] [4] [1] : tensor<4xf32> into tensor<16xf32>
      scf.yield %n : tensor<16xf32>
    }
    scf.yield %k : tensor<16xf32>
  } {__tec_parallel__}
  return %r : tensor<16xf32>
}

transform.sequence failures(propagate) {
^bb0(%arg0: !pdl.operation):
  %0 = transform.structured.match attributes {__rows__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %1, %loops:3 = transform.structured.fuse_ext %0 {tile_sizes = [2, 8, 0, 5], tile_interchange = [0, 3, 1, 2]}
  transform.structured.tile_loop_hint %1 : !pdl.operation
  %2 = transform.structured.match attributes {__product__} in %arg0 : (!pdl.operation) -> !pdl.operation
  %3, %loops_1:3 = transform.structured.fuse_ext %2 {tile_sizes = [16, 32, 8]}
  transform.structured.tile_loop_hint %3 : !pdl.operation
  cleanup
}
