func.func @f(%m: memref<16x64xf16, #gpu.address_space<workgroup>>, %g: memref<?x64xf16>, %a : vector<4x2xf16>, %b : vector<2x2xf16>, %c : vector<2x2xf32>, %x: f32,
             %a8: vector<8xf16>, %b16: vector<16xf16>, %acc: vector<8xf32>,
             %q: memref<256x64xf16, #gpu.address_space<workgroup>>, %kv: memref<2x128x64xf16, #gpu.address_space<workgroup>>, %p: vector<16x2xf16>, %o: vector<16x2xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = gpu.thread_id x
  gpu.barrier
  %sum = gpu.subgroup_reduce add %x : (f32) -> f32
  %some = arith.cmpf une, %x, %x : f32
  %any = gpu.subgroup_reduce or %some : (i1) -> i1
  %bl = vector_ext.block_load %g[%t, %c0] {transposed} : memref<?x64xf16> -> vector<16xf16>
  vector_ext.prefetch %g[%t, %c0] : memref<?x64xf16>
  %off = arith.constant 1 : i32
  %w = arith.constant 32 : i32
  %s, %ok = gpu.shuffle xor %x, %off, %w : f32
  %l4 = nvgpu.ldmatrix %m[%t, %c0] {numTiles = 4 : i32, transpose = false} : memref<16x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  %r = nvgpu.mma.sync(%l4, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %wm = vector_ext.warpgroup_mma %q[%t, %c0], %kv[%c0, %t, %c0], %o {async, boxRows = [128, 64], mmaShape = [64, 64, 128]} : memref<256x64xf16, #gpu.address_space<workgroup>>, memref<2x128x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  %ww = vector_ext.warpgroup_wait %wm : vector<16x2xf32>
  %wr = vector_ext.warpgroup_mma %p, %kv[%c0, %t, %c0], %ww {boxRows = [0, 64], mmaShape = [64, 64, 64], transposed} : vector<16x2xf16>, memref<2x128x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  %d = xegpu.dpas %a8, %b16, %acc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
  %cp = nvgpu.device_async_copy %g[%t, %c0], %m[%t, %c8], 8 {bypassL1} : memref<?x64xf16> to memref<16x64xf16, #gpu.address_space<workgroup>>
  %cp2 = nvgpu.device_async_copy %g[%t, %c0], %m[%t, %c8], 8, %t : memref<?x64xf16> to memref<16x64xf16, #gpu.address_space<workgroup>>
  %tok = nvgpu.device_async_create_group %cp, %cp2
  nvgpu.device_async_wait %tok {numGroups = 1 : i32}
  %none = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
  %next = gpu.thread_id x
  return
}
