// A register tile of a matrix product: the accumulators are phis, the loop is unrolled as asked, nothing is spilled.
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=llvm -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM

// CHECK: define i32 @f(ptr
// CHECK: phi <32 x float>
// CHECK: call {{.*}}@llvm.fmuladd.v32f32
// ASM-LABEL: f:
// ASM-NOT: {{zmm[0-9]+, .*rsp|rsp.*, %zmm}}
// ASM-COUNT-64: vfmadd231ps
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<128x64xf32>, %b: memref<64x128xf32>, %c: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %k = arith.constant 64 : index
  %m = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c4 {
    scf.for %j = %c0 to %m step %c32 {
      %init = vector.transfer_read %c[%i, %j], %z {in_bounds = [true, true]} : memref<128x128xf32>, vector<8x32xf32>
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %init) -> (vector<8x32xf32>) {
        %x = vector.transfer_read %a[%i, %l], %z {in_bounds = [true, true]} : memref<128x64xf32>, vector<8x1xf32>
        %y = vector.transfer_read %b[%l, %j], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<1x32xf32>
        %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %acc : vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
        scf.yield %r : vector<8x32xf32>
      } {tec.unroll = 4 : i64}
      vector.transfer_write %sum, %c[%i, %j] {in_bounds = [true, true]} : vector<8x32xf32>, memref<128x128xf32>
    }
  }
  return
}
