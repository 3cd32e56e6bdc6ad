// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: tensor<8x8xf32>, %i: index, %v: !amx.tile<4x4xf32>) {
// CHECK: tile-store-in-tensor.mlir:[[@LINE+1]]:3: error: 'amx.tile_store' op cannot move !amx.tile<4x4xf32> as rows of tensor<8x8xf32>{{$}}
  amx.tile_store %m[%i, %i], %v : tensor<8x8xf32>, !amx.tile<4x4xf32>
  return
}
