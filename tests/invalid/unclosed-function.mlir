// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: unclosed-function.mlir:[[@LINE+2]]:1: error: expected '}'{{$}}
  return
