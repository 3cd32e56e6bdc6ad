// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) {
// CHECK: map-shapes.mlir:[[@LINE+1]]:8: error: 'linalg.map' op dim 0 of operand 1 has extent 5, but loop 0 has 4{{$}}
  %0 = linalg.map { math.exp } ins(%a : tensor<4xf32>) outs(%b : tensor<5xf32>)
  return
}
