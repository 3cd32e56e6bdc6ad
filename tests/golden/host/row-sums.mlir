// Eight sums of lanes are combined within segments of 128 bits first, then segments are; a start of 0 is not added.
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=llvm -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM

// CHECK: define i32 @f(ptr
// CHECK-COUNT-4: shufflevector <16 x float> {{.*}} <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20,
// CHECK-COUNT-2: shufflevector <16 x float> {{.*}} <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5,
// CHECK: shufflevector <16 x float> {{.*}} <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16,
// CHECK-NOT: fadd <2 x float>
// CHECK: ret i32
// ASM-LABEL: f:
// ASM-COUNT-4: vunpcklps
// ASM-COUNT-2: vunpcklpd
// ASM: vshuff64x2
#q = affine_map<(m, n, k) -> (m, k)>
#k = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (m, n)>
func.func @f(%q: memref<4x64xf32>, %k: memref<2x64xf32>, %s: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %q[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x64xf32>
  %y = vector.transfer_read %k[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x64xf32>, vector<2x64xf32>
  %start = arith.constant dense<0.0> : vector<4x2xf32>
  %r = vector.contract {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %start : vector<4x64xf32>, vector<2x64xf32> into vector<4x2xf32>
  vector.transfer_write %r, %s[%c0, %c0] {in_bounds = [true, true]} : vector<4x2xf32>, memref<4x2xf32>
  return
}
