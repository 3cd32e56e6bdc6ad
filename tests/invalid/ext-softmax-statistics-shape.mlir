// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: tensor<4x8xf32>, %m: tensor<8xf32>) {
// CHECK: ext-softmax-statistics-shape.mlir:[[@LINE+1]]:10: error: 'linalg_ext.softmax' op dim 0 of operand 2 has extent 8, but loop 0 has 4{{$}}
  %0:4 = linalg_ext.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%x, %m, %m, %m : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}
