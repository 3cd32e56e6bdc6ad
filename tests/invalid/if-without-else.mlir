// RUN: %reject opt %s | FileCheck %s
func.func @f(%c: i1, %a: f32) -> f32 {
// CHECK: if-without-else.mlir:[[@LINE+1]]:8: error: 'scf.if' op needs an else region for its results{{$}}
  %0 = scf.if %c -> (f32) {
    scf.yield %a : f32
  }
  return %0 : f32
}
