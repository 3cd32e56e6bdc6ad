// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: stray-character.mlir:[[@LINE+1]]:10: error: unexpected character '$'{{$}}
  return $
}
