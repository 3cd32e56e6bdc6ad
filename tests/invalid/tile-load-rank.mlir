// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<64xf32>, %i: index) {
// CHECK: tile-load-rank.mlir:[[@LINE+1]]:8: error: 'amx.tile_load' op cannot move !amx.tile<1x4xf32> as rows of memref<64xf32>{{$}}
  %0 = amx.tile_load %m[%i] : memref<64xf32> into !amx.tile<1x4xf32>
  return
}
