// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: script-in-function.mlir:[[@LINE+1]]:3: error: 'transform.sequence' op must stand at the top level of the module{{$}}
  transform.sequence failures(propagate) {
  ^bb0(%root: !transform.any_op):
  }
  return
}
