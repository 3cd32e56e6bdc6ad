// A vector that is computed outside of a laid-out kernel is computed inside of it, with its layouts, before lanes hold it.
// RUN: tcc-attn opt %s --target=spirv:generic --verify --passes=simplify,layout,distribute,simplify | FileCheck %s
// RUN: %reject opt %s --target=spirv:generic --passes=distribute 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK-LABEL: func.func @masked
// CHECK-NOT: vector.create_mask
// CHECK: %[[VISIBLE:.*]] = arith.cmpi slt, {{.*}} : vector<4xindex>
// CHECK: scf.forall
// CHECK: arith.select %[[VISIBLE]], {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: return

// REFUSED: outside.mlir:[[# @LINE + 10]]:10: error: 'arith.select' op takes a vector from outside of its kernel
func.func @masked(%x: memref<4x16xf32>, %y: memref<4x16xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant {tec.layouts = ["[R4@1, L16@1]"]} dense<-1.0> : vector<4x16xf32>
  %m = vector.create_mask %rows {tec.layouts = ["[R4@1 L16@1:0]"]} : vector<4xi1>
  %n = vector.shape_cast %m {tec.layouts = ["[R4@1 L16@1:0, ]"]} : vector<4xi1> to vector<4x1xi1>
  %mask = vector.broadcast %n {tec.layouts = ["[R4@1, L16@1]"]} : vector<4x1xi1> to vector<4x16xi1>
  scf.forall (%i) in (1) {
    %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[R4@1, L16@1]"]} : memref<4x16xf32>, vector<4x16xf32>
    %w = arith.select %mask, %v, %low {tec.layouts = ["[R4@1, L16@1]"]} : vector<4x16xi1>, vector<4x16xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x16xf32>
  } {tec.threads = 16 : i64}
  return
}
