// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK: forall-insert-outside.mlir:[[@LINE+1]]:3: error: 'tensor.parallel_insert_slice' op must stand in 'scf.forall.in_parallel'{{$}}
  tensor.parallel_insert_slice %c into %c[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
