// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s
// Lanes that lie beyond the loop's end keep their partial maximum; the old value joins in the last step.
func.func @row_max(%x: memref<8x100xf32>, %m: memref<8xf32>) {
  linalg.reduce ins(%x : memref<8x100xf32>) outs(%m : memref<8xf32>) dimensions = [1]
    (%in: f32, %old: f32) {
      %max = arith.maximumf %in, %old : f32
      linalg.yield %max : f32
    }
  return
}
// CHECK-LABEL: func.func @row_max(
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<0xFF800000> : vector<4x16xf32>
// CHECK-DAG: %[[MASK:.*]] = vector.create_mask %c4{{.*}} : vector<16xi1>
// CHECK-DAG: %[[ALL:.*]] = vector.broadcast %[[MASK]] : vector<16xi1> to vector<4x16xi1>
// CHECK: %[[LANES:.*]] = scf.for {{.*}} = %[[LOWEST]]) -> (vector<4x16xf32>)
// CHECK: %[[REST:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %c96], %{{.*}} {in_bounds = [true, false]}
// CHECK: %[[MAX:.*]] = arith.maximumf %[[REST]], %[[LANES]]
// CHECK: %[[KEPT:.*]] = arith.select %[[ALL]], %[[MAX]], %[[LANES]]
// CHECK: %[[OLD:.*]] = vector.transfer_read {{.*}}, vector<4xf32>
// CHECK: vector.multi_reduction <maximumf>, %[[KEPT]], %[[OLD]] [1] : vector<4x16xf32> to vector<4xf32>

// Along columns nothing is horizontal.
func.func @column_sum(%x: memref<?x?xf32>, %s: memref<?xf32>) {
  linalg.reduce ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [0]
    (%in: f32, %old: f32) {
      %sum = arith.addf %in, %old : f32
      linalg.yield %sum : f32
    }
  return
}
// CHECK-LABEL: func.func @column_sum(
// CHECK: scf.for {{.*}} step %c64
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK: scf.for {{.*}} step %c8
// CHECK-NOT: in_bounds
// CHECK: vector.transfer_read {{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK-NOT: multi_reduction

// Too few chains of lanes for the pipes: several terms at a time, which meet behind the loop.
func.func @column_max(%x: memref<96x16xf32>, %m: memref<16xf32>) {
  linalg.reduce ins(%x : memref<96x16xf32>) outs(%m : memref<16xf32>) dimensions = [0]
    (%in: f32, %old: f32) {
      %max = arith.maximumf %in, %old : f32
      linalg.yield %max : f32
    }
  return
}
// CHECK-LABEL: func.func @column_max(
// CHECK: %[[TERMS:.*]] = scf.for {{.*}} step %c4 {{.*}} -> (vector<4x16xf32>)
// CHECK: %[[OLD:.*]] = vector.transfer_read {{.*}}, vector<16xf32>
// CHECK: vector.multi_reduction <maximumf>, %[[TERMS]], %[[OLD]] [0] : vector<4x16xf32> to vector<16xf32>

// A number of terms that is not even, or not known, goes one by one.
// CHECK-LABEL: func.func @odd_column_max(
// CHECK: scf.for {{.*}} step %c1 {{.*}} -> (vector<16xf32>)
func.func @odd_column_max(%x: memref<97x16xf32>, %m: memref<16xf32>) {
  linalg.reduce ins(%x : memref<97x16xf32>) outs(%m : memref<16xf32>) dimensions = [0]
    (%in: f32, %old: f32) {
      %max = arith.maximumf %in, %old : f32
      linalg.yield %max : f32
    }
  return
}
