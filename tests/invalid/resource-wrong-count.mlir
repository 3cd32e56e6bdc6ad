// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<3xf32> {
  %c = arith.constant dense_resource<weights> : tensor<3xf32>
  return %c : tensor<3xf32>
}
// CHECK: resource-wrong-count.mlir:[[@LINE+1]]:44: error: expected "0x.." with the bytes of one or of all elements{{$}}
{-# dialect_resources: {builtin: {weights: "0x040000000000803F00000040"}} #-}
