// RUN: %reject opt %s | FileCheck %s
// CHECK: attribute-given-twice.mlir:[[@LINE+1]]:35: error: attribute 'x' is given twice{{$}}
func.func @f() attributes {x = 1, x = 2} {
  return
}
