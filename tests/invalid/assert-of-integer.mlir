// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: i32) {
// CHECK: assert-of-integer.mlir:[[@LINE+1]]:3: error: 'cf.assert' op the condition must be i1, not i32{{$}}
  cf.assert %a, "truth"
  return
}
