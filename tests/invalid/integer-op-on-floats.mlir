// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: integer-op-on-floats.mlir:[[@LINE+1]]:8: error: 'arith.addi' op works on integers, not on f32{{$}}
  %0 = arith.addi %a, %a : f32
  return
}
