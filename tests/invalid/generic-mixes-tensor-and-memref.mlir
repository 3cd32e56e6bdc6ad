// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>, %o: tensor<4xf32>) {
// CHECK: generic-mixes-tensor-and-memref.mlir:[[@LINE+1]]:8: error: 'linalg.copy' op mixes tensors and memrefs{{$}}
  %0 = linalg.copy ins(%m : memref<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return
}
