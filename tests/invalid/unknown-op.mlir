// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: unknown-op.mlir:[[@LINE+1]]:8: error: unknown op 'arith.frobnicate'{{$}}
  %0 = arith.frobnicate %a, %a : tensor<4x8xf32>
  return %c : tensor<4x4xf32>
}
