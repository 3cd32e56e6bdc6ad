// RUN: %reject opt %s | FileCheck %s
// CHECK: unknown-type.mlir:[[@LINE+1]]:18: error: unknown type 'f33'{{$}}
func.func @f(%a: f33) {
  return
}
