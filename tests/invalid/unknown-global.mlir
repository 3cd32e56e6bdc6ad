// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: unknown-global.mlir:[[@LINE+1]]:8: error: 'memref.get_global' op names 'g', but there is no such global{{$}}
  %0 = memref.get_global @g : memref<4xf32>
  return
}
