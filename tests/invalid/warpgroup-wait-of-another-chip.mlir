// RUN: %reject compile %s --target=nvptx:sm_100 --emit=ptx -o - | FileCheck %s
func.func @f(%out: memref<?x2xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %lane = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %c = vector.transfer_read %out[%lane, %c0], %zero {in_bounds = [true, true]} : memref<?x2xf32>, vector<16x2xf32>
// CHECK: warpgroup-wait-of-another-chip.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_wait' op is for chips whose warpgroups multiply, which nvptx:sm_100 has none of{{$}}
    %d = vector_ext.warpgroup_wait %c : vector<16x2xf32>
    vector.transfer_write %d, %out[%lane, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<?x2xf32>
  } {tec.threads = 128 : i64}
  return
}
