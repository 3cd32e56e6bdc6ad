// RUN: %reject opt %s | FileCheck %s
func.func private @g(f64) -> f32
func.func @f(%a: f32) {
// CHECK: call-wrong-type.mlir:[[@LINE+1]]:8: error: 'func.call' op does not fit 'g', which is (f64) -> f32{{$}}
  %0 = call @g(%a) : (f32) -> f32
  return
}
