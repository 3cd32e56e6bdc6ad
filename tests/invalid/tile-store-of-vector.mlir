// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xf32>, %i: index, %v: vector<4x4xf32>) {
// CHECK: tile-store-of-vector.mlir:[[@LINE+1]]:3: error: 'amx.tile_store' op the value must be a tile, not vector<4x4xf32>{{$}}
  amx.tile_store %m[%i, %i], %v : memref<8x8xf32>, vector<4x4xf32>
  return
}
