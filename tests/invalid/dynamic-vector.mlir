// RUN: %reject opt %s | FileCheck %s
// CHECK: dynamic-vector.mlir:[[@LINE+1]]:24: error: the extents of a vector are positive constants{{$}}
func.func @f(%a: vector<?xf32>) {
  return
}
