// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: !amx.tile<5x6xbf16>, %y: !amx.tile<3x12xbf16>, %z: !amx.tile<5x7xf32>) {
// CHECK: tile-product-shapes.mlir:[[@LINE+1]]:8: error: 'amx.tile_mulf' op multiplies m x k by k/2 x 2n, in pairs of terms, to m x n, not 5 x 6 by 3 x 12 to 5 x 7{{$}}
  %0 = amx.tile_mulf %x, %y, %z : !amx.tile<5x6xbf16>, !amx.tile<3x12xbf16>, !amx.tile<5x7xf32>
  return
}
