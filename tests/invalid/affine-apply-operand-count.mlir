// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index) {
// CHECK: affine-apply-operand-count.mlir:[[@LINE+1]]:21: error: this map has 2 dims and 0 symbols, but 1 and 0 operands are given{{$}}
  %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i)
  return
}
