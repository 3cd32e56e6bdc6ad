// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: unknown-dialect.mlir:[[@LINE+1]]:3: error: unknown op 'nodialect.op'{{$}}
  nodialect.op
  return
}
