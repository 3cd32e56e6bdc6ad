// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: undefined-value.mlir:[[@LINE+1]]:19: error: use of undefined value '%zzz'{{$}}
  %0 = arith.addf %zzz, %a : tensor<4x8xf32>
  return %c : tensor<4x4xf32>
}
