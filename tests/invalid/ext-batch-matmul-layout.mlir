// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<2x4x4xf32>) {
// CHECK: ext-batch-matmul-layout.mlir:[[@LINE+1]]:8: error: 'linalg_ext.batch_matmul' op 'layout' must be nn, nt, tn or tt, not xy{{$}}
  %0 = linalg_ext.batch_matmul ins(%a, %a : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%a : tensor<2x4x4xf32>) layout = "xy"
  return
}
