// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<9xi1> {
  // CHECK: dense-bits-count.mlir:[[@LINE+1]]:26: error: expected "0x.." with the bytes of one or of all elements{{$}}
  %mask = arith.constant dense<"0x01"> : tensor<9xi1>
  return %mask : tensor<9xi1>
}
