// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) -> f32 {
// CHECK: integer-power-of-float.mlir:[[@LINE+1]]:8: error: 'math.fpowi' op the exponent must be an integer of the base's shape, not f32{{$}}
  %0 = math.fpowi %a, %a : f32, f32
  return %0 : f32
}
