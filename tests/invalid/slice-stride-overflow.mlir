// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: memref<?x64xf32>, %rows: index) {
// CHECK: slice-stride-overflow.mlir:[[@LINE+1]]:8: error: 'memref.subview' op dim 0 of the slice does not occur in memref<?x64xf32, strided<[0, 1]>> with its size and stride{{$}}
  %0 = memref.subview %a[0, 0] [%rows, 64] [4611686018427387904, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[0, 1]>>
  return
}
