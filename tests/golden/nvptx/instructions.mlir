// Every op of one lane in all its forms.
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --emit=ptx -o - | tr -s ' \t' ' ' | FileCheck %s

// CHECK-LABEL: .entry shuffles_0(
// CHECK: shfl.sync.up.b32 {{.*}}, 1, 0, -1
// CHECK: shfl.sync.down.b32 {{.*}}, 1, 6175, -1
// CHECK: shfl.sync.idx.b32 {{.*}}, 1, 31, -1
// CHECK-COUNT-2: shfl.sync.bfly.b32
// CHECK: shfl.sync.bfly.b32
func.func @shuffles(%x: memref<32xf32>, %h: memref<32xf16>, %d: memref<32xf64>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %all = arith.constant 32 : i32
    %eight = arith.constant 8 : i32
    %a = memref.load %x[%t] : memref<32xf32>
    %b, %b_valid = gpu.shuffle up %a, %one, %all : f32
    %chosen = arith.select %b_valid, %b, %a : f32
    %c, %c_valid = gpu.shuffle down %chosen, %one, %eight : f32
    %e, %e_valid = gpu.shuffle idx %c, %one, %all : f32
    memref.store %e, %x[%t] : memref<32xf32>
    %f = memref.load %d[%t] : memref<32xf64>
    %g, %g_valid = gpu.shuffle xor %f, %one, %all : f64
    memref.store %g, %d[%t] : memref<32xf64>
    %k = memref.load %h[%t] : memref<32xf16>
    %l, %l_valid = gpu.shuffle xor %k, %one, %all : f16
    memref.store %l, %h[%t] : memref<32xf16>
  } {tec.threads = 32 : i64}
  return
}

// CHECK-LABEL: .entry products_0(
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-DAG: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
// CHECK-DAG: cvt.rna.tf32.f32
// CHECK-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-DAG: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK-DAG: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
func.func @products(%h: memref<8x32xf16>, %b: memref<8x32xbf16>, %f: memref<8x32xf32>, %d: memref<8x32xf64>,
                    %i8: memref<32x32xi8>, %i32: memref<4x32xi32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %h0 = arith.constant 0.0 : f16
    %b0 = arith.constant 0.0 : bf16
    %f0 = arith.constant 0.0 : f32
    %d0 = arith.constant 0.0 : f64
    %i0 = arith.constant 0 : i8
    %i1 = arith.constant 0 : i32
    %ha = vector.transfer_read %h[%c0, %t], %h0 {in_bounds = [true, true]} : memref<8x32xf16>, vector<4x2xf16>
    %hb = vector.transfer_read %h[%c0, %t], %h0 {in_bounds = [true, true]} : memref<8x32xf16>, vector<2x2xf16>
    %ba = vector.transfer_read %b[%c0, %t], %b0 {in_bounds = [true, true]} : memref<8x32xbf16>, vector<4x2xbf16>
    %bb = vector.transfer_read %b[%c0, %t], %b0 {in_bounds = [true, true]} : memref<8x32xbf16>, vector<2x2xbf16>
    %fa = vector.transfer_read %f[%c0, %t], %f0 {in_bounds = [true, true]} : memref<8x32xf32>, vector<4x1xf32>
    %fb = vector.transfer_read %f[%c0, %t], %f0 {in_bounds = [true, true]} : memref<8x32xf32>, vector<2x1xf32>
    %fc = vector.transfer_read %f[%c0, %t], %f0 {in_bounds = [true, true]} : memref<8x32xf32>, vector<2x2xf32>
    %da = vector.transfer_read %d[%c0, %t], %d0 {in_bounds = [true, true]} : memref<8x32xf64>, vector<1x1xf64>
    %dc = vector.transfer_read %d[%c0, %t], %d0 {in_bounds = [true, true]} : memref<8x32xf64>, vector<1x2xf64>
    %ia = vector.transfer_read %i8[%c0, %t], %i0 {in_bounds = [true, true]} : memref<32x32xi8>, vector<4x4xi8>
    %ib = vector.transfer_read %i8[%c0, %t], %i0 {in_bounds = [true, true]} : memref<32x32xi8>, vector<2x4xi8>
    %ic = vector.transfer_read %i32[%c0, %t], %i1 {in_bounds = [true, true]} : memref<4x32xi32>, vector<2x2xi32>
    %s0 = nvgpu.mma.sync(%ba, %bb, %fc) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %ha2 = vector.extract_strided_slice %ha {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf16> to vector<2x2xf16>
    %hb1 = vector.extract_strided_slice %hb {offsets = [0, 0], sizes = [1, 2], strides = [1, 1]} : vector<2x2xf16> to vector<1x2xf16>
    %s1 = nvgpu.mma.sync(%ha2, %hb1, %s0) {mmaShape = [16, 8, 8]} : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s2 = nvgpu.mma.sync(%fa, %fb, %s1) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %hc = nvgpu.mma.sync(%ha, %hb, %hb) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %dd = nvgpu.mma.sync(%da, %da, %dc) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
    %ii = nvgpu.mma.sync(%ia, %ib, %ic) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
    vector.transfer_write %s2, %f[%c0, %t] {in_bounds = [true, true]} : vector<2x2xf32>, memref<8x32xf32>
    vector.transfer_write %hc, %h[%c0, %t] {in_bounds = [true, true]} : vector<2x2xf16>, memref<8x32xf16>
    vector.transfer_write %dd, %d[%c0, %t] {in_bounds = [true, true]} : vector<1x2xf64>, memref<8x32xf64>
    vector.transfer_write %ii, %i32[%c0, %t] {in_bounds = [true, true]} : vector<2x2xi32>, memref<4x32xi32>
  } {tec.threads = 32 : i64}
  return
}

// CHECK-LABEL: .entry copies_0(
// CHECK-DAG: cp.async.ca.shared.global {{.*}}, 4;
// CHECK-DAG: cp.async.ca.shared.global {{.*}}, 8, %r
// CHECK-DAG: cp.async.cg.shared.global {{.*}}, 16, %r
// CHECK: cp.async.wait_group 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x1.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
func.func @copies(%f: memref<64x64xf32>, %h: memref<64x64xf16>, %n: index) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %s = memref.alloca() : memref<32x8xf32, #gpu.address_space<workgroup>>
    %u = memref.alloca() : memref<32x8xf16, #gpu.address_space<workgroup>>
    %t0 = nvgpu.device_async_copy %f[%t, %c0], %s[%t, %c0], 1 : memref<64x64xf32> to memref<32x8xf32, #gpu.address_space<workgroup>>
    %t1 = nvgpu.device_async_copy %f[%t, %c8], %s[%t, %c0], 2, %n : memref<64x64xf32> to memref<32x8xf32, #gpu.address_space<workgroup>>
    %t2 = nvgpu.device_async_copy %h[%t, %c0], %u[%t, %c0], 8, %n {bypassL1} : memref<64x64xf16> to memref<32x8xf16, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %t0, %t1, %t2
    nvgpu.device_async_wait %group
    gpu.barrier
    %one = nvgpu.ldmatrix %u[%t, %c0] {numTiles = 1 : i32, transpose = false} : memref<32x8xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
    %four = nvgpu.ldmatrix %u[%t, %c0] {numTiles = 4 : i32, transpose = true} : memref<32x8xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    vector.transfer_write %one, %h[%t, %c0] {in_bounds = [true, true]} : vector<1x2xf16>, memref<64x64xf16>
    vector.transfer_write %four, %h[%t, %c8] {in_bounds = [true, true]} : vector<4x2xf16>, memref<64x64xf16>
  } {tec.threads = 32 : i64}
  return
}
