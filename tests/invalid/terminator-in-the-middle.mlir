// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: terminator-in-the-middle.mlir:[[@LINE+1]]:3: error: 'func.return' op must be the last op of its block{{$}}
  return
  return
}
