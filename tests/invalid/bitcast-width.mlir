// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: bitcast-width.mlir:[[@LINE+1]]:8: error: 'arith.bitcast' op needs types of one width, not f32 and i64{{$}}
  %0 = arith.bitcast %a : f32 to i64
  return
}
