// An attribute that the op does not know is kept, unless one that it needs is missing: then it may be that.
// RUN: %reject opt %s | FileCheck %s
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: misspelt-attribute.mlir:[[@LINE+1]]:8: error: 'linalg.generic' requires attribute 'indexing_maps'; 'index_maps' is none of its attributes{{$}}
  %0 = linalg.generic {my.note = 1, index_maps = [#map], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
