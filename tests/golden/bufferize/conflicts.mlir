// RUN: tcc-attn opt %s --passes=bufferize | FileCheck %s
// Values that are read after their memory would be overwritten are copied; others are not.

// CHECK-LABEL: func.func @swap(
// CHECK: memref.copy %arg0, %[[A:.*]] :
// CHECK: memref.copy %arg1, %[[B:.*]] :
// CHECK: scf.for
// CHECK-NEXT: memref.copy %[[B]], %[[SAVED_B:.*]] :
// CHECK-NEXT: memref.copy %[[A]], %[[SAVED_A:.*]] :
// CHECK-NEXT: memref.copy %[[SAVED_B]], %[[A]] :
// CHECK-NEXT: memref.copy %[[SAVED_A]], %[[B]] :
// CHECK-NEXT: }
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @read_after_write(
// CHECK: linalg.fill {{.*}} outs(%[[X:.*]] : memref<4xf32>)
// CHECK-NEXT: linalg.generic {{.*}} ins(%arg0 : memref<4xf32>) outs(%[[X]] : memref<4xf32>)
// CHECK: memref.copy %[[X]], %[[Y:.*]] :
// CHECK: linalg.generic {{.*}} outs(%[[Y]] : memref<4xf32>)
// CHECK: linalg.sub ins(%[[X]], %[[Y]] : {{.*}}) outs(%arg1 : memref<4xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @read_after_write(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xf32>
  %z = linalg.sub ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice_inserted(
// CHECK: linalg.exp ins(%arg0 : memref<4xf32>) outs(%[[X:.*]] : memref<4xf32>)
// CHECK: %[[SECOND:.*]] = memref.subview %{{.*}}[1, 0] [1, 4]
// CHECK: memref.copy %[[X]], %[[SECOND]]
func.func @twice_inserted(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %o = tensor.empty() : tensor<2x4xf32>
  %o1 = tensor.insert_slice %x into %o[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  %o2 = tensor.insert_slice %x into %o1[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  return %o2 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @forall_reads_initial(
// CHECK: linalg.exp ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
// CHECK: memref.copy %arg1, %[[BEFORE:.*]] :
// CHECK: scf.forall
// CHECK: %[[FROM:.*]] = memref.subview %[[BEFORE]]
// CHECK: %[[TO:.*]] = memref.subview %arg1
// CHECK: memref.copy %[[FROM]], %[[TO]]
func.func @forall_reads_initial(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %x) -> (tensor<8xf32>) {
    %j = affine.apply affine_map<(d0) -> (-d0 + 7)>(%i)
    %s = tensor.extract_slice %o[%j] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// A product that is added to an argument is inserted: it starts from the argument, not from what the slice held.
// CHECK-LABEL: func.func @inserts_sum(
// CHECK: memref.copy %arg2, %[[SUM:.*]] :
// CHECK: linalg.matmul ins(%arg0, %arg1 : {{.*}}) outs(%[[SUM]] :
// CHECK: memref.copy %[[SUM]],
// CHECK: return
func.func @inserts_sum(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>, %whole: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %sum = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.insert_slice %sum into %whole[4, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// What is copied to is read again.
// CHECK-LABEL: func.func @copies(
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%[[E:.*]] :
// CHECK-NOT: memref.copy %arg1, %[[E]] :
// CHECK: linalg.add ins(%[[E]],
// CHECK: return
func.func @copies(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.copy ins(%b : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A result that updates an argument is made where it goes, on a copy.
// CHECK-LABEL: func.func @updates(
// CHECK-NOT: memref.alloc
// CHECK: memref.copy %arg0, %arg2 :
// CHECK-COUNT-2: memref.copy %arg1,
// CHECK-NOT: memref.copy
// CHECK: return
func.func @updates(%a: tensor<8x4xf32>, %row: tensor<4xf32>) -> tensor<8x4xf32> {
  %x = tensor.insert_slice %row into %a[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  %y = tensor.insert_slice %row into %x[2, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
