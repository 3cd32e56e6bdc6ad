// 128 sums in and out and 160 registers of A are more than one piece of assembly names.
// RUN: %reject compile %s --target=nvptx:sm_90a --emit=ptx -o - | FileCheck %s
func.func @f(%out: memref<?x2xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %lane = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = arith.constant dense<0.0> : vector<160x2xf16>
    %b = memref.alloca() : memref<256x64xf16, #gpu.address_space<workgroup>>
    %c = vector.transfer_read %out[%lane, %c0], %zero {in_bounds = [true, true]} : memref<?x2xf32>, vector<64x2xf32>
// CHECK: warpgroup-registers.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op has too many registers, or memory is short{{$}}
    %d = vector_ext.warpgroup_mma %a, %b[%c0, %c0], %c {boxRows = [0, 256], mmaShape = [64, 256, 640]} : vector<160x2xf16>, memref<256x64xf16, #gpu.address_space<workgroup>>, vector<64x2xf32> -> vector<64x2xf32>
    vector.transfer_write %d, %out[%lane, %c0] {in_bounds = [true, true]} : vector<64x2xf32>, memref<?x2xf32>
  } {tec.threads = 128 : i64}
  return
}
