// RUN: %reject opt %s | FileCheck %s
// CHECK: unclosed-string.mlir:[[@LINE+1]]:32: error: this string has no closing '"'{{$}}
func.func @f() attributes {x = "abc} {
  return
}
