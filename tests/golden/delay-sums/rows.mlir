// Sums that a loop carries: each lane carries those of its own elements, a dim for the lanes more, and what lanes have is
// added up behind the loop.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=delay-sums,simplify | FileCheck %s

// Two registers, four lanes, and two registers again of each row: the factor of rows is one of all lanes.
// CHECK-LABEL: func.func @running_softmax
// CHECK-DAG: %[[START:.*]] = arith.constant {tec.layouts = ["[L8@4 R2@1 W4@1, L4@1]"]} dense<2.500000e-01> : vector<64x4xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %[[START]]) -> (vector<64xf32>, vector<64x4xf32>)
// CHECK: %[[NEXT:.*]] = vector.multi_reduction <maxnumf>, %{{.*}}, %[[MAX]] {{.*}} [1] : vector<64x16xf32> to vector<64xf32>
// CHECK: %[[FACTOR:.*]] = math.exp {{.*}} : vector<64xf32>
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[FACTOR]] {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0, ]"]} : vector<64xf32> to vector<64x1xf32>
// CHECK: %[[ALL:.*]] = vector.broadcast %[[COLUMN]] {tec.layouts = ["[L8@4 R2@1 W4@1, L4@1]"]} : vector<64x1xf32> to vector<64x4xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[ALL]]
// CHECK: %[[SPLIT:.*]] = vector.shape_cast %{{.*}} {{.*}} : vector<64x16xf32> to vector<64x2x4x2xf32>
// CHECK: %[[OWN:.*]] = vector.multi_reduction <add>, %[[SPLIT]], %[[SCALED]] {tec.layouts = ["[L8@4 R2@1 W4@1, L4@1]"]} [1, 3] : vector<64x2x4x2xf32> to vector<64x4xf32>
// CHECK: scf.yield %[[NEXT]], %[[OWN]]
// CHECK: %[[TOTAL:.*]] = vector.multi_reduction <add>, %[[LOOP]]#1, %{{.*}} {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x4xf32> to vector<64xf32>
// CHECK: vector.transfer_write %[[TOTAL]]
func.func @running_softmax(%x: memref<64x256xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %low = arith.constant {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} dense<-1.0e38> : vector<64xf32>
    %one = arith.constant {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} dense<1.0> : vector<64xf32>
    %r:2 = scf.for %k = %c0 to %c256 step %c16 iter_args(%max = %low, %sum = %one) -> (vector<64xf32>, vector<64xf32>) {
      %v = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true], tec.layouts = ["[L8@4 R2@2 W4@1, R2@1 L4@1 R2@4]"]} : memref<64x256xf32>, vector<64x16xf32>
      %new = vector.multi_reduction <maxnumf>, %v, %max {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x16xf32> to vector<64xf32>
      %d = arith.subf %max, %new {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} : vector<64xf32>
      %f = math.exp %d {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} : vector<64xf32>
      %s = arith.mulf %sum, %f {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} : vector<64xf32>
      %t = vector.multi_reduction <add>, %v, %s {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x16xf32> to vector<64xf32>
      scf.yield %new, %t : vector<64xf32>, vector<64xf32>
    } {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]", "[L8@4 R2@1 W4@1 L4@1:0]"]}
    vector.transfer_write %r#1, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  } {tec.threads = 128 : i64}
  return
}

// Without a factor. Rows that lanes do not share, a sum that is read in the loop, and one that starts from what is not
// known, stay as they are.
// CHECK-LABEL: func.func @sums
// CHECK: scf.for {{.*}} -> (vector<64x4xf32>)
// CHECK: vector.multi_reduction <add>, %{{.*}} [1, 3] : vector<64x2x4x2xf32> to vector<64x4xf32>
// CHECK: scf.for {{.*}} -> (vector<128xf32>)
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK-NOT: multi_reduction {{.*}} vector<64x4xf32>
// CHECK: return
func.func @sums(%x: memref<128x256xf32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %none = arith.constant {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} dense<0.0> : vector<64xf32>
    %a = scf.for %k = %c0 to %c256 step %c16 iter_args(%sum = %none) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true], tec.layouts = ["[L8@4 R2@2 W4@1, R2@1 L4@1 R2@4]"]} : memref<128x256xf32>, vector<64x16xf32>
      %t = vector.multi_reduction <add>, %v, %sum {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x16xf32> to vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]}
    vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<128xf32>
    %alone = arith.constant {tec.layouts = ["[L32@1 W4@1]"]} dense<0.0> : vector<128xf32>
    %b = scf.for %k = %c0 to %c256 step %c16 iter_args(%sum = %alone) -> (vector<128xf32>) {
      %v = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true], tec.layouts = ["[L32@1 W4@1, R16@1]"]} : memref<128x256xf32>, vector<128x16xf32>
      %t = vector.multi_reduction <add>, %v, %sum {tec.layouts = ["[L32@1 W4@1]"]} [1] : vector<128x16xf32> to vector<128xf32>
      scf.yield %t : vector<128xf32>
    } {tec.layouts = ["[L32@1 W4@1]"]}
    vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
    %c = scf.for %k = %c0 to %c256 step %c16 iter_args(%sum = %none) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true], tec.layouts = ["[L8@4 R2@2 W4@1, R2@1 L4@1 R2@4]"]} : memref<128x256xf32>, vector<64x16xf32>
      %t = vector.multi_reduction <add>, %v, %sum {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x16xf32> to vector<64xf32>
      vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<128xf32>
      scf.yield %t : vector<64xf32>
    } {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]}
    %before = vector.transfer_read %y[%c0], %zero {in_bounds = [true], tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} : memref<128xf32>, vector<64xf32>
    %d = scf.for %k = %c0 to %c256 step %c16 iter_args(%sum = %before) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true], tec.layouts = ["[L8@4 R2@2 W4@1, R2@1 L4@1 R2@4]"]} : memref<128x256xf32>, vector<64x16xf32>
      %t = vector.multi_reduction <add>, %v, %sum {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} [1] : vector<64x16xf32> to vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]}
    %e = arith.addf %c, %d {tec.layouts = ["[L8@4 R2@1 W4@1 L4@1:0]"]} : vector<64xf32>
    vector.transfer_write %e, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<128xf32>
  } {tec.threads = 128 : i64}
  return
}
