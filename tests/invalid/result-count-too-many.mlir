// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: result-count-too-many.mlir:[[@LINE+1]]:10: error: 'arith.addf' gives 1 result, but 2 are named{{$}}
  %0:2 = arith.addf %a, %a : f32
  return
}
