// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>, %o: tensor<4xf32>) {
// CHECK: reduce-two-results.mlir:[[@LINE+1]]:10: error: 'linalg.reduce' gives 1 result, but 2 are named{{$}}
  %0:2 = linalg.reduce { arith.addf } ins(%a : tensor<4x4xf32>) outs(%o : tensor<4xf32>) dimensions = [1]
  return
}
