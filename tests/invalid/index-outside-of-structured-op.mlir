// RUN: %reject opt %s | FileCheck %s
func.func @f() -> index {
// CHECK: index-outside-of-structured-op.mlir:[[@LINE+1]]:8: error: 'linalg.index' op must stand in the body of a structured op{{$}}
  %0 = linalg.index 0 : index
  return %0 : index
}
