// RUN: %reject opt %s | FileCheck %s
{-# dialect_resources: {builtin: {weights: "0x040000000000803F00000040"}} #-}
// CHECK: resource-in-the-middle.mlir:[[@LINE+1]]:1: error: resources are the end of a text{{$}}
func.func @f() -> tensor<2xf32> {
  %c = arith.constant dense_resource<weights> : tensor<2xf32>
  return %c : tensor<2xf32>
}
