// RUN: %reject opt %s | FileCheck %s
func.func @f() -> tensor<2xf32> {
// CHECK: resource-unknown.mlir:[[@LINE+1]]:38: error: there is no resource 'weight'{{$}}
  %c = arith.constant dense_resource<weight> : tensor<2xf32>
  return %c : tensor<2xf32>
}
{-# dialect_resources: {builtin: {weights: "0x040000000000803F00000040"}} #-}
