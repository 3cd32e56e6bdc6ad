// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xbf16>, %i: index) {
// CHECK: tile-load-element.mlir:[[@LINE+1]]:8: error: 'amx.tile_load' op cannot move !amx.tile<4x4xf32> as rows of memref<8x8xbf16>{{$}}
  %0 = amx.tile_load %m[%i, %i] : memref<8x8xbf16> into !amx.tile<4x4xf32>
  return
}
