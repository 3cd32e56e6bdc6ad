// RUN: %reject opt %s | FileCheck %s
// CHECK: missing-return.mlir:[[@LINE+1]]:23: error: the body of a function ends with func.return; a declaration has no braces{{$}}
func.func @f() -> f32 {
}
