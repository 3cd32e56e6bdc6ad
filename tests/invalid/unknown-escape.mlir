// RUN: %reject opt %s | FileCheck %s
// CHECK: unknown-escape.mlir:[[@LINE+1]]:34: error: unknown escape in a string: expected \n, \t, \", \\ or two hexadecimal digits{{$}}
func.func @f() attributes {x = "a\q"} {
  return
}
