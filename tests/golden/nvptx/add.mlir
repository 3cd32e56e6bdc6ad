// Lanes read what exists; the size of the grid comes from an extent.
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --emit=ptx -o - | FileCheck %s

// CHECK: .version 7.8
// CHECK: .target sm_80
// CHECK: .visible .entry add_0(
// CHECK-NEXT: .param .u64 .ptr .global
// CHECK: .reqntid 256, 1, 1
// CHECK: %tid.x
// CHECK: setp
// CHECK: ld.global.b32
// CHECK: add.f32
// CHECK: st.global.b32
func.func @add(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.forall (%i) = (0) to (%n) step (1024) {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %at = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 4)>(%i, %t)
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%at], %pad : memref<?xf32>, vector<4xf32>
    %b = vector.transfer_read %y[%at], %pad : memref<?xf32>, vector<4xf32>
    %s = arith.addf %a, %b : vector<4xf32>
    vector.transfer_write %s, %z[%at] : vector<4xf32>, memref<?xf32>
  } {tec.threads = 256 : i64}
  return
}
