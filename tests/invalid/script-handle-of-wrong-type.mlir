// RUN: %reject opt %s | FileCheck %s
// CHECK: script-handle-of-wrong-type.mlir:[[@LINE+1]]:1: error: 'transform.sequence' op the argument must be a transform handle, not index{{$}}
transform.sequence failures(propagate) {
^bb0(%root: index):
}
