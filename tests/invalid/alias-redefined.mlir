// RUN: %reject opt %s | FileCheck %s
#m = affine_map<(d0) -> (d0)>
// CHECK: alias-redefined.mlir:[[@LINE+1]]:1: error: redefinition of alias '#m'{{$}}
#m = affine_map<(d0) -> (d0)>
func.func @f() {
  return
}
