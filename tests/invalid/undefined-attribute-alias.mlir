// RUN: %reject opt %s | FileCheck %s
// CHECK: undefined-attribute-alias.mlir:[[@LINE+1]]:32: error: unknown attribute '#nope'{{$}}
func.func @f() attributes {x = #nope} {
  return
}
