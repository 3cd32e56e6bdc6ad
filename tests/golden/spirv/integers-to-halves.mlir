// Integers become f16 and bf16 by way of f32, rounded so that rounding again does no harm: GPUs without f64 do this as well.
// RUN: tcc-attn compile %s --target=spirv:dg2 --emit=llvm -o - | FileCheck %s --implicit-check-not=double
// RUN: tcc-attn run %s --random --check --device=ptx-emu 2>&1 | FileCheck %s --check-prefix=GOOD
// CHECK: {{[su]}}itofp{{.*}}i32 {{.*}} to float
// CHECK: fptrunc float
// CHECK: {{[su]}}itofp{{.*}}i32 {{.*}} to float
// CHECK: @llvm.fptosi.sat.i32.f32
// GOOD: result 0: {{.*}}: good
#row = affine_map<(i) -> (i)>
func.func @biases(%x: tensor<100xf16>, %y: tensor<100xbf16>) -> (tensor<100xf16>, tensor<100xbf16>) {
  %e = tensor.empty() : tensor<100xf16>
  %a = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<100xf16>) outs(%e : tensor<100xf16>) {
  ^bb0(%in: f16, %out: f16):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f16
    %sum = arith.addf %in, %f : f16
    linalg.yield %sum : f16
  } -> tensor<100xf16>
  %g = tensor.empty() : tensor<100xbf16>
  %b = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%y : tensor<100xbf16>) outs(%g : tensor<100xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to bf16
    %sum = arith.addf %in, %f : bf16
    linalg.yield %sum : bf16
  } -> tensor<100xbf16>
  return %a, %b : tensor<100xf16>, tensor<100xbf16>
}
