// What a register holds does not pass functions' boundaries.
// RUN: %reject compile %s --target=host:sapphirerapids -o %t | FileCheck %s
// CHECK: passed-tile.mlir:[[@LINE+1]]:1: error: 'func.func' op passes a tile, which has no form outside of registers in the host backend{{$}}
func.func private @store(%c: memref<16x16xf32>, %sum: !amx.tile<16x16xf32>) {
  %c0 = arith.constant 0 : index
  amx.tile_store %c[%c0, %c0], %sum : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
func.func @f(%c: memref<16x16xf32>) {
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  func.call @store(%c, %zero) : (memref<16x16xf32>, !amx.tile<16x16xf32>) -> ()
  return
}
