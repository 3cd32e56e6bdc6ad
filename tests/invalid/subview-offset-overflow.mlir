// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: memref<?x64xf32>, %rows: index) {
// CHECK: subview-offset-overflow.mlir:[[@LINE+1]]:8: error: 'memref.subview' op the offset of the result must be dynamic, not that of memref<?x64xf32>{{$}}
  %0 = memref.subview %a[4611686018427387904, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  return
}
