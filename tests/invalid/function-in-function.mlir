// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: function-in-function.mlir:[[@LINE+1]]:3: error: 'func.func' op must stand at the top level of the module{{$}}
  func.func @g() {
    return
  }
  return
}
