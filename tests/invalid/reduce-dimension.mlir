// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4x4xf32>, %o: tensor<4xf32>) {
// CHECK: reduce-dimension.mlir:[[@LINE+1]]:8: error: 'linalg.reduce' op 'dimensions' must be distinct dims below 2{{$}}
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x4xf32>) outs(%o : tensor<4xf32>) dimensions = [2]
  return
}
