// RUN: %reject opt %s | FileCheck %s
func.func @f(%c: i32) {
// CHECK: if-condition-type.mlir:[[@LINE+1]]:3: error: 'scf.if' op the condition must be i1, not i32{{$}}
  "scf.if"(%c) ({
    "scf.yield"() : () -> ()
  }, {
  }) : (i32) -> ()
  return
}
