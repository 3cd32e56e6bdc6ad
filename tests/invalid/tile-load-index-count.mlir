// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xf32>, %i: index) {
// CHECK: tile-load-index-count.mlir:[[@LINE+1]]:8: error: 'amx.tile_load' op needs 2 indices, got 1{{$}}
  %0 = amx.tile_load %m[%i] : memref<8x8xf32> into !amx.tile<4x4xf32>
  return
}
