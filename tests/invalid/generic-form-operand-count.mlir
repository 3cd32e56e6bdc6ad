// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: generic-form-operand-count.mlir:[[@LINE+1]]:8: error: 'arith.addf' expects at least 2 operands, found 1{{$}}
  %0 = "arith.addf"(%a) : (f32) -> f32
  return
}
