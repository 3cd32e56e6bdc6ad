// RUN: %reject opt %s | FileCheck %s
// CHECK: unknown-dialect-type.mlir:[[@LINE+1]]:18: error: unknown type '!foo.bar'{{$}}
func.func @f(%a: !foo.bar) {
  return
}
