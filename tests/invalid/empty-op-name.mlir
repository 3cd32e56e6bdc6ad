// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: empty-op-name.mlir:[[@LINE+1]]:3: error: unknown op ''{{$}}
  "" () : () -> ()
  return
}
