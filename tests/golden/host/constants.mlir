// Where registers are few, the chains of a tile share them with constants badly: polynomials read theirs anew each time, so
// that what a chain computes with stays in registers. Elsewhere constants stay there, too.
// RUN: tcc-attn compile %s --target=host:haswell --emit=llvm -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --emit=llvm -o - | FileCheck %s --check-prefix=MANY
// RUN: tcc-attn compile %s --target=host:haswell --emit=asm -o - | FileCheck %s --check-prefix=LOOP
// RUN: tcc-attn run %s --random --check
// CHECK-LABEL: @powers
// CHECK: fmuladd.v32f32(
// CHECK-NEXT: %[[NUMBER:.*]] = load volatile float
// CHECK-NEXT: %[[FIRST:.*]] = insertelement <32 x float> poison, float %[[NUMBER]]
// CHECK-NEXT: %[[ROW:.*]] = shufflevector <32 x float> %[[FIRST]]
// CHECK-NEXT: fmuladd.v32f32({{.*}} %[[ROW]])
// MANY-NOT: load volatile
// LOOP-LABEL: {{^}}powers:
// LOOP-NOT: (%rsp)
// LOOP: vfmadd213ps
// LOOP-NOT: (%rsp)
// LOOP: jb
func.func @powers(%x: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %powers = linalg.map { math.exp2 } ins(%x : tensor<256xf32>) outs(%empty : tensor<256xf32>)
  return %powers : tensor<256xf32>
}
