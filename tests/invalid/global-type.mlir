// RUN: %reject opt %s | FileCheck %s
memref.global "private" constant @g : memref<4xf32> = dense<1.0>
func.func @f() {
// CHECK: global-type.mlir:[[@LINE+1]]:8: error: 'memref.get_global' op must give memref<4xf32>, the type of 'g', not memref<5xf32>{{$}}
  %0 = memref.get_global @g : memref<5xf32>
  return
}
