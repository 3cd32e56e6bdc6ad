// RUN: %reject opt %s | FileCheck %s
// CHECK: call-recursive.mlir:[[@LINE+6]]:{{[0-9]+}}: error: 'func.call' op is recursive: 'even' must not call itself, not even through other functions
func.func @even(%n: i32) -> i32 {
  %r = call @odd(%n) : (i32) -> i32
  return %r : i32
}
func.func @odd(%n: i32) -> i32 {
  %r = call @even(%n) : (i32) -> i32
  return %r : i32
}
