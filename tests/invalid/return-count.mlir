// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) -> f32 {
// CHECK: return-count.mlir:[[@LINE+1]]:3: error: 'func.return' op must pass on 1 value, not 0{{$}}
  return
}
