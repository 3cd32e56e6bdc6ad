// RUN: %reject opt %s | FileCheck %s
func.func @f() {
  return
}
// CHECK: redefined-function.mlir:[[@LINE+2]]:1: error: 'func.func' op defines 'f' again{{$}}
// CHECK: redefined-function.mlir:[[@LINE-4]]:1: note: the other definition is here{{$}}
func.func @f() {
  return
}
