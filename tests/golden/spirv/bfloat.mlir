// Chips whose matrix unit takes bf16 round to it by one instruction; elsewhere integers do it.
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=llvm -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=spirv:generic --emit=llvm -o - | FileCheck %s --check-prefix=GENERIC
// CHECK: call spir_func i16 @_Z27__spirv_ConvertFToBF16INTELf(float
// CHECK-NOT: 32767
// GENERIC-NOT: ConvertFToBF16INTEL
// GENERIC: add i32 {{.*}}, 32767
func.func @round(%x: tensor<?xf32>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xbf16>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%empty : tensor<?xbf16>)
    (%a: f32) {
      %b = arith.truncf %a : f32 to bf16
      linalg.yield %b : bf16
    }
  return %y : tensor<?xbf16>
}
