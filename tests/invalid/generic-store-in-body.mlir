// RUN: %reject opt %s | FileCheck %s
func.func @f(%o: tensor<4xf32>, %m: memref<4xf32>, %i: index) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%o : tensor<4xf32>) {
  ^bb0(%y: f32):
// CHECK: generic-store-in-body.mlir:[[@LINE+1]]:5: error: 'memref.store' op cannot stand in the body of a structured op, which must be free of effects{{$}}
    memref.store %y, %m[%i] : memref<4xf32>
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return
}
