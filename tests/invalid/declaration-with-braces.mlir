// RUN: %reject opt %s | FileCheck %s
// CHECK: declaration-with-braces.mlir:[[@LINE+1]]:24: error: the body of a function ends with func.return; a declaration has no braces{{$}}
func.func private @f() {
}
