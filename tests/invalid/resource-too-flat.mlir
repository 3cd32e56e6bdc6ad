// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<2xf32> {
  %c = arith.constant dense_resource<weights> : tensor<2xf32>
  return %c : tensor<2xf32>
}
// CHECK: resource-too-flat.mlir:[[@LINE+1]]:34: error: expected '{'{{$}}
{-# dialect_resources: {builtin: "0x040000000000803F00000040"} #-}
