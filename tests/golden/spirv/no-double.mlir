// A device without f64 refuses programs that compute in it, where they do.
// RUN: not tcc-attn compile %s --target=spirv:dg2 -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=spirv:generic -o %t

func.func @single(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp %a : tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @double(%a: tensor<64xf64>) -> tensor<64xf64> {
// CHECK: no-double.mlir:[[@LINE+2]]:8: error: a kernel needs arithmetic in f64, which spirv:dg2 does not have
// CHECK-NEXT: %0 = arith.addf
  %0 = arith.addf %a, %a : tensor<64xf64>
  return %0 : tensor<64xf64>
}
