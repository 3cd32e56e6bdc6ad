// A tile of a product: asynchronous copies to two buffers of shared memory, ldmatrix, mma.sync.
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --emit=ptx -o - | FileCheck %s

// CHECK: .extern .shared .align 128 .b8 shared[];
// CHECK: .visible .entry gemm_0(
// CHECK-COUNT-2: cp.async.cg.shared.global
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK-NEXT: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x2.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: bar.sync 0;
func.func @gemm(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c0 : memref<?x?xf16>
  %zero = arith.constant dense<0.0> : vector<2x2xf32>
  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (16, 8) {
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloca() : memref<2x16x24xf16, #gpu.address_space<workgroup>>
    %bs = memref.alloca() : memref<2x8x24xf16, #gpu.address_space<workgroup>>
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%lane)
    %half = affine.apply affine_map<(d0) -> ((d0 mod 2) * 8)>(%lane)
    %arow = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %row)
    %is_b = arith.cmpi slt, %lane, %c16 : index
    %brow = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%j, %row)
    %t0 = nvgpu.device_async_copy %a[%arow, %half], %as[%c0, %row, %half], 8 {bypassL1} : memref<?x?xf16> to memref<2x16x24xf16, #gpu.address_space<workgroup>>
    scf.if %is_b {
      %t1 = nvgpu.device_async_copy %b[%brow, %half], %bs[%c0, %row, %half], 8 {bypassL1} : memref<?x?xf16> to memref<2x8x24xf16, #gpu.address_space<workgroup>>
    }
    %g0 = nvgpu.device_async_create_group %t0
    %lrow = affine.apply affine_map<(d0) -> (d0 mod 16)>(%lane)
    %lcol = affine.apply affine_map<(d0) -> ((d0 floordiv 16) * 8)>(%lane)
    %brow8 = affine.apply affine_map<(d0) -> (d0 mod 8)>(%lane)
    %bcol = affine.apply affine_map<(d0) -> (((d0 floordiv 8) mod 2) * 8)>(%lane)
    %sum = scf.for %p = %c0 to %k step %c16 iter_args(%acc = %zero) -> (vector<2x2xf32>) {
      %buffer = affine.apply affine_map<(d0) -> ((d0 floordiv 16) mod 2)>(%p)
      %other = affine.apply affine_map<(d0) -> ((d0 floordiv 16 + 1) mod 2)>(%p)
      %next = affine.apply affine_map<(d0) -> (d0 + 16)>(%p)
      %more = arith.cmpi slt, %next, %k : index
      scf.if %more {
        %col = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%next, %half)
        %t2 = nvgpu.device_async_copy %a[%arow, %col], %as[%other, %row, %half], 8 {bypassL1} : memref<?x?xf16> to memref<2x16x24xf16, #gpu.address_space<workgroup>>
        scf.if %is_b {
          %t3 = nvgpu.device_async_copy %b[%brow, %col], %bs[%other, %row, %half], 8 {bypassL1} : memref<?x?xf16> to memref<2x8x24xf16, #gpu.address_space<workgroup>>
        }
      }
      %g1 = nvgpu.device_async_create_group %t0
      nvgpu.device_async_wait %g1 {numGroups = 1 : i32}
      gpu.barrier
      %av = nvgpu.ldmatrix %as[%buffer, %lrow, %lcol] {numTiles = 4 : i32, transpose = false} : memref<2x16x24xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
      %bv = nvgpu.ldmatrix %bs[%buffer, %brow8, %bcol] {numTiles = 2 : i32, transpose = false} : memref<2x8x24xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
      %r = nvgpu.mma.sync(%av, %bv, %acc) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      gpu.barrier
      scf.yield %r : vector<2x2xf32>
    }
    %crow = affine.apply affine_map<(d0, d1) -> (d0 + d1 floordiv 4)>(%i, %lane)
    %crow8 = affine.apply affine_map<(d0, d1) -> (d0 + d1 floordiv 4 + 8)>(%i, %lane)
    %ccol = affine.apply affine_map<(d0, d1) -> (d0 + (d1 mod 4) * 2)>(%j, %lane)
    %r0 = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
    %r1 = vector.extract %sum[1] : vector<2xf32> from vector<2x2xf32>
    vector.transfer_write %r0, %c[%crow, %ccol] {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
    vector.transfer_write %r1, %c[%crow8, %ccol] {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
  } {tec.threads = 32 : i64}
  return
}
