// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<2x2xf32> {
// CHECK: dense-ragged.mlir:[[@LINE+1]]:47: error: the lists of this constant are not equally long{{$}}
  %c = arith.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}
