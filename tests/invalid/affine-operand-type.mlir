// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: i64) {
// CHECK: affine-operand-type.mlir:[[@LINE+1]]:8: error: 'affine.apply' op operand 0 must be an index, not i64{{$}}
  %0 = "affine.apply"(%i) <{map = affine_map<(d0) -> (d0)>}> : (i64) -> index
  return
}
