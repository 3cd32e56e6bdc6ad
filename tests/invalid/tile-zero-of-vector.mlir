// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: tile-zero-of-vector.mlir:[[@LINE+1]]:8: error: 'amx.tile_zero' op the result must be a tile, not vector<4x4xf32>{{$}}
  %0 = amx.tile_zero : vector<4x4xf32>
  return
}
