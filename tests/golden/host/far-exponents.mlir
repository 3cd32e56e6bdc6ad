// Exponentials that are 0 come from exponents far below the range of numbers, where scaling is an instruction: such that
// end right below the range take it hundreds of cycles.
// RUN: tcc-attn compile %s --target=host:sapphirerapids --emit=llvm -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=host:haswell --emit=llvm -o - | FileCheck %s --check-prefix=BITS
// RUN: tcc-attn run %s --random --check
// CHECK-LABEL: @powers
// CHECK: %[[BELOW:.*]] = fcmp olt <{{.*}}> %[[X:.*]], splat (float -1.045000e+02)
// CHECK: select <{{.*}}> %[[BELOW]], <{{.*}}> splat (float -1.000000e+04), <{{.*}}> %[[X]]
// CHECK: llvm.x86.avx512.mask.scalef
// BITS-NOT: -1.000000e+04
func.func @powers(%x: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %powers = linalg.map { math.exp } ins(%x : tensor<256xf32>) outs(%empty : tensor<256xf32>)
  return %powers : tensor<256xf32>
}
