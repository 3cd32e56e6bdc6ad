// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: call-unknown-function.mlir:[[@LINE+1]]:8: error: 'func.call' op calls 'g', but there is no such function{{$}}
  %0 = call @g(%a) : (f32) -> f32
  return
}
