// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<8x8xf32, strided<[16, 2]>>, %i: index) {
// CHECK: tile-load-stride.mlir:[[@LINE+1]]:8: error: 'amx.tile_load' op the innermost dim of memref<8x8xf32, strided<[16, 2]>> must be contiguous{{$}}
  %0 = amx.tile_load %m[%i, %i] : memref<8x8xf32, strided<[16, 2]>> into !amx.tile<4x4xf32>
  return
}
