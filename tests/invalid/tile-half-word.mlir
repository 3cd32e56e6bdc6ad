// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: tile-half-word.mlir:[[@LINE+1]]:33: error: a tile has 1 to 16 rows of f32 or bf16, of 4 to 64 bytes in whole words{{$}}
  %0 = amx.tile_zero : !amx.tile<5x7xbf16>
  return
}
