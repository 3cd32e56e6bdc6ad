// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: extf-to-narrower.mlir:[[@LINE+1]]:8: error: 'arith.extf' op cannot cast f32 to f16{{$}}
  %0 = arith.extf %a : f32 to f16
  return
}
