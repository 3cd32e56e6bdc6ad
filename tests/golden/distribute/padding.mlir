// Where lanes read an element that is there instead of one that is not, they need not forget it if nobody sees it: rows
// that a write leaves out, or that a mask replaces. Rows that add up with others are seen, and so are those that another
// memory has room for.
// RUN: tcc-attn opt %s --target=spirv:generic --verify --passes=distribute,registers,simplify | FileCheck %s

// CHECK-LABEL: func.func @left_out
// CHECK: arith.minui
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: scf.if
func.func @left_out(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %count = affine.max affine_map<(d0) -> (d0, 1)>(%rows)
    %from = memref.subview %x[0, 0] [%count, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %to = memref.subview %y[0, 0] [%count, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %v = vector.transfer_read %from[%c0, %c0], %zero {in_bounds = [false, true], tec.layouts = ["[R4@1, L16@1]"]} : memref<?x16xf32, strided<[16, 1]>>, vector<4x16xf32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %v) -> (vector<4x16xf32>) {
      %t = arith.addf %s, %v {tec.layouts = ["[R4@1, L16@1]"]} : vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    } {tec.layouts = ["[R4@1, L16@1]"]}
    vector.transfer_write %sum, %to[%c0, %c0] {in_bounds = [false, true]} : vector<4x16xf32>, memref<?x16xf32, strided<[16, 1]>>
  } {tec.threads = 16 : i64}
  return
}

// CHECK-LABEL: func.func @masked
// CHECK-COUNT-4: arith.minui
// CHECK-NOT: arith.select {{.*}} : index
// CHECK-COUNT-4: arith.select {{.*}} : f32
// CHECK-NOT: arith.select
// CHECK: return
func.func @masked(%x: memref<?x16xf32>, %y: memref<4x16xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %low = arith.constant {tec.layouts = ["[R4@1, L16@1]"]} dense<-1.0> : vector<4x16xf32>
    %count = affine.max affine_map<(d0) -> (d0, 1)>(%rows)
    %from = memref.subview %x[0, 0] [%count, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %v = vector.transfer_read %from[%c0, %c0], %zero {in_bounds = [false, true], tec.layouts = ["[R4@1, L16@1]"]} : memref<?x16xf32, strided<[16, 1]>>, vector<4x16xf32>
    %m = vector.create_mask %count {tec.layouts = ["[R4@1 L16@1:0]"]} : vector<4xi1>
    %n = vector.shape_cast %m {tec.layouts = ["[R4@1 L16@1:0, ]"]} : vector<4xi1> to vector<4x1xi1>
    %mask = vector.broadcast %n {tec.layouts = ["[R4@1, L16@1]"]} : vector<4x1xi1> to vector<4x16xi1>
    %w = arith.select %mask, %v, %low {tec.layouts = ["[R4@1, L16@1]"]} : vector<4x16xi1>, vector<4x16xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x16xf32>
  } {tec.threads = 16 : i64}
  return
}

// CHECK-LABEL: func.func @added_up
// CHECK-NOT: arith.minui
// CHECK: arith.select
func.func @added_up(%x: memref<?x16xf32>, %y: memref<16xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %count = affine.max affine_map<(d0) -> (d0, 1)>(%rows)
    %from = memref.subview %x[0, 0] [%count, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %start = arith.constant {tec.layouts = ["[L16@1]"]} dense<0.0> : vector<16xf32>
    %v = vector.transfer_read %from[%c0, %c0], %zero {in_bounds = [false, true], tec.layouts = ["[R4@1, L16@1]"]} : memref<?x16xf32, strided<[16, 1]>>, vector<4x16xf32>
    %s = vector.multi_reduction <add>, %v, %start {tec.layouts = ["[L16@1]"]} [0] : vector<4x16xf32> to vector<16xf32>
    vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  } {tec.threads = 16 : i64}
  return
}

// CHECK-LABEL: func.func @kept
// CHECK-NOT: arith.minui
// CHECK: arith.select
func.func @kept(%x: memref<?x16xf32>, %y: memref<4x16xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %count = affine.max affine_map<(d0) -> (d0, 1)>(%rows)
    %from = memref.subview %x[0, 0] [%count, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %v = vector.transfer_read %from[%c0, %c0], %zero {in_bounds = [false, true], tec.layouts = ["[R4@1, L16@1]"]} : memref<?x16xf32, strided<[16, 1]>>, vector<4x16xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x16xf32>
  } {tec.threads = 16 : i64}
  return
}
