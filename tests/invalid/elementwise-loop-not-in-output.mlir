// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<3x4xf32>, %o: tensor<3xf32>) -> tensor<3xf32> {
// CHECK: elementwise-loop-not-in-output.mlir:[[@LINE+1]]:8: error: 'linalg.exp' op has a loop that its output lacks{{$}}
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>] ins(%a : tensor<3x4xf32>) outs(%o : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
