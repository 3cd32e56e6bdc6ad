// One lane's view of products of warpgroups, in all their forms: descriptors of rows of 128, 64 and 32 bytes tell where the
// memory begins, the distance of boxes, that of eight rows, and the swizzle; steps of 16 along the reduction are 2 units of
// 16 bytes along a row, then the next box, or 16 rows.
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --emit=ptx -o - | tr -s ' \t' ' ' | FileCheck %s

// CHECK-LABEL: .entry rows_0(
// CHECK: or.b64 %[[A:rd[0-9]+]], %rd{{[0-9]+}}, 4611686293338849280;
// CHECK: or.b64 %[[B:rd[0-9]+]], %rd{{[0-9]+}}, 4611686293313683456;
// CHECK: wgmma.fence.sync.aligned;
// CHECK-NEXT: add.s64 right, %[[B]], 0;
// CHECK-NEXT: add.s64 left, %[[A]], 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[SUMS:.*]]}, left, right, go_on, 1, 1, 0, 0;
// CHECK-NEXT: add.s64 right, %[[B]], 2;
// CHECK-NEXT: add.s64 left, %[[A]], 2;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[SUMS]]}, left, right, go_on, 1, 1, 0, 0;
// CHECK: add.s64 right, %[[B]], 128;
// CHECK-NEXT: add.s64 left, %[[A]], 512;
// CHECK: add.s64 right, %[[B]], 134;
// CHECK-NEXT: add.s64 left, %[[A]], 518;
// CHECK-NEXT: wgmma.mma_async
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NOT: wgmma.wait_group
// CHECK: // end inline asm
// CHECK: wgmma.wait_group.sync.aligned 0;
func.func @rows(%out: memref<?x2xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = memref.alloca() : memref<128x64xf16, #gpu.address_space<workgroup>>
    %b = memref.alloca() : memref<32x64xf16, #gpu.address_space<workgroup>>
    %c = vector.transfer_read %out[%t, %c0], %zero {in_bounds = [true, true]} : memref<?x2xf32>, vector<4x2xf32>
    %d = vector_ext.warpgroup_mma %a[%c0, %c0], %b[%c0, %c0], %c {async, boxRows = [64, 16], mmaShape = [64, 16, 128]} : memref<128x64xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, vector<4x2xf32> -> vector<4x2xf32>
    %e = vector_ext.warpgroup_wait %d : vector<4x2xf32>
    vector.transfer_write %e, %out[%t, %c0] {in_bounds = [true, true]} : vector<4x2xf32>, memref<?x2xf32>
  } {tec.threads = 128 : i64}
  return
}

// CHECK-LABEL: .entry columns_0(
// CHECK: or.b64 %[[A:rd[0-9]+]], %rd{{[0-9]+}}, -9223371899399045120;
// CHECK: or.b64 %[[B:rd[0-9]+]], %rd{{[0-9]+}}, -9223371899407433728;
// CHECK: setp.ne.b32 start, 0, 0;
// CHECK-NEXT: setp.eq.b32 go_on, 0, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, left, right, start, 1, 1, 0, 1;
// CHECK-NEXT: add.s64 right, %[[B]], 64;
// CHECK-NEXT: add.s64 left, %[[A]], 2;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, left, right, go_on, 1, 1, 0, 1;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0;
func.func @columns(%out: memref<?x2xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = memref.alloca() : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %b = memref.alloca() : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %c = arith.constant dense<0.0> : vector<16x2xf32>
    %d = vector_ext.warpgroup_mma %a[%c0, %c0], %b[%c0, %c0], %c {boxRows = [64, 32], mmaShape = [64, 64, 32], transposed} : memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x32xbf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
    vector.transfer_write %d, %out[%t, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<?x2xf32>
  } {tec.threads = 128 : i64}
  return
}

// CHECK-LABEL: .entry registers_0(
// CHECK: or.b64 %[[B:rd[0-9]+]], %rd{{[0-9]+}}, -4611685949705814016;
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[SUMS:%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+]]}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, right, go_on, 1, 1, 0;
// CHECK-NEXT: add.s64 right, %[[B]], 32;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[SUMS]]}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, right, go_on, 1, 1, 0;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0;
func.func @registers(%out: memref<?x2xf32>, %in: memref<?x2xf16>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : f16
    %a = vector.transfer_read %in[%t, %c0], %none {in_bounds = [true, true]} : memref<?x2xf16>, vector<8x2xf16>
    %b = memref.alloca() : memref<32x16xf16, #gpu.address_space<workgroup>>
    %c = vector.transfer_read %out[%t, %c0], %zero {in_bounds = [true, true]} : memref<?x2xf32>, vector<4x2xf32>
    %d = vector_ext.warpgroup_mma %a, %b[%c0, %c0], %c {boxRows = [0, 16], mmaShape = [64, 16, 32]} : vector<8x2xf16>, memref<32x16xf16, #gpu.address_space<workgroup>>, vector<4x2xf32> -> vector<4x2xf32>
    vector.transfer_write %d, %out[%t, %c0] {in_bounds = [true, true]} : vector<4x2xf32>, memref<?x2xf32>
  } {tec.threads = 128 : i64}
  return
}
