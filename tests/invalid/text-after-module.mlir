// RUN: %reject opt %s | FileCheck %s
module {
}
func.func @f() {
  return
}
// CHECK: text-after-module.mlir:[[@LINE+1]]:1: error: expected an op{{$}}
)
