// RUN: not tcc-attn opt %s --passes=register-tile 2>&1 | FileCheck %s
func.func @tensors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: errors.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'linalg.exp' op works on tensors; register tiles are made of ops on memrefs: run bufferize first
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
