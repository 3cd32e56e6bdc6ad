// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>) {
// CHECK: region-missing.mlir:[[@LINE+1]]:8: error: 'linalg.generic' has 1 region, found 0{{$}}
  %0 = "linalg.generic"(%a) <{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
