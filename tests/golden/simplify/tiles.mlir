// Tiles stay where they are, and equal ones apart: each is a register, and a copy goes through memory.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// CHECK: scf.forall
// CHECK: %[[A:.*]] = amx.tile_zero
// CHECK: %[[B:.*]] = amx.tile_zero
// CHECK: amx.tile_store {{.*}}, %[[A]] :
// CHECK: amx.tile_store {{.*}}, %[[B]] :
// CHECK-NOT: amx.tile_
func.func @f(%m: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.forall (%i) = (0) to (32) step (16) {
    %a = amx.tile_zero : !amx.tile<16x16xf32>
    %b = amx.tile_zero : !amx.tile<16x16xf32>
    %dead = amx.tile_zero : !amx.tile<16x16xf32>
    amx.tile_store %m[%i, %c0], %a : memref<32x32xf32>, !amx.tile<16x16xf32>
    amx.tile_store %m[%i, %c16], %b : memref<32x32xf32>, !amx.tile<16x16xf32>
  }
  return
}
