// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) -> f64 {
// CHECK: return-type.mlir:[[@LINE+1]]:3: error: 'func.return' op value 0 must be of type f64, not f32{{$}}
  return %a : f32
}
