// RUN: %reject opt %s | FileCheck %s
// CHECK: argument-named-twice.mlir:[[@LINE+2]]:23: error: redefinition of '%a'{{$}}
// CHECK: argument-named-twice.mlir:[[@LINE+1]]:14: note: first defined here{{$}}
func.func @f(%a: f32, %a: f32) {
  return
}
