// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: !amx.tile<4x4xbf16>, %y: !amx.tile<2x8xbf16>, %z: !amx.tile<4x4xbf16>) {
// CHECK: tile-product-elements.mlir:[[@LINE+1]]:8: error: 'amx.tile_mulf' op adds products of bf16 to f32, not of bf16 and bf16 to bf16{{$}}
  %0 = amx.tile_mulf %x, %y, %z : !amx.tile<4x4xbf16>, !amx.tile<2x8xbf16>, !amx.tile<4x4xbf16>
  return
}
