// One row a warp: butterflies of shuffles, the exponential from ex2.
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx -o - | FileCheck %s

// CHECK: .version 7.8
// CHECK: .target sm_90
// CHECK: cvt.f32.f16
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
// CHECK: max.NaN.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: shfl.sync.bfly.b32
// CHECK: div.rn.f32
// CHECK: cvt.rn.f16.f32
// CHECK-NOT: .local
func.func @softmax(%x: memref<?x32xf16>, %z: memref<?x32xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x32xf16>
  scf.forall (%i) = (0) to (%n) step (1) {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %o1 = arith.constant 1 : i32
    %o2 = arith.constant 2 : i32
    %o4 = arith.constant 4 : i32
    %o8 = arith.constant 8 : i32
    %o16 = arith.constant 16 : i32
    %h = memref.load %x[%i, %t] : memref<?x32xf16>
    %v = arith.extf %h : f16 to f32
    %s1, %p1 = gpu.shuffle xor %v, %o16, %w : f32
    %m1 = arith.maximumf %v, %s1 : f32
    %s2, %p2 = gpu.shuffle xor %m1, %o8, %w : f32
    %m2 = arith.maximumf %m1, %s2 : f32
    %s3, %p3 = gpu.shuffle xor %m2, %o4, %w : f32
    %m3 = arith.maximumf %m2, %s3 : f32
    %s4, %p4 = gpu.shuffle xor %m3, %o2, %w : f32
    %m4 = arith.maximumf %m3, %s4 : f32
    %s5, %p5 = gpu.shuffle xor %m4, %o1, %w : f32
    %m5 = arith.maximumf %m4, %s5 : f32
    %d = arith.subf %v, %m5 : f32
    %e = math.exp %d : f32
    %t1, %q1 = gpu.shuffle xor %e, %o16, %w : f32
    %e1 = arith.addf %e, %t1 : f32
    %t2, %q2 = gpu.shuffle xor %e1, %o8, %w : f32
    %e2 = arith.addf %e1, %t2 : f32
    %t3, %q3 = gpu.shuffle xor %e2, %o4, %w : f32
    %e3 = arith.addf %e2, %t3 : f32
    %t4, %q4 = gpu.shuffle xor %e3, %o2, %w : f32
    %e4 = arith.addf %e3, %t4 : f32
    %t5, %q5 = gpu.shuffle xor %e4, %o1, %w : f32
    %e5 = arith.addf %e4, %t5 : f32
    %r = arith.divf %e, %e5 : f32
    %out = arith.truncf %r : f32 to f16
    memref.store %out, %z[%i, %t] : memref<?x32xf16>
  } {tec.threads = 32 : i64}
  return
}
