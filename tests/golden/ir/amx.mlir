func.func @f(%a: memref<?x64xbf16>, %b: memref<4x32x64xbf16>, %c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %i: index, %n: index, %again: i1) {
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %sum = scf.for %k = %i to %n step %n iter_args(%acc = %zero) -> (!amx.tile<16x16xf32>) {
    %x = amx.tile_load %a[%i, %k] : memref<?x64xbf16> into !amx.tile<16x32xbf16>
    %y = amx.tile_load %b[%i, %k, %i] {tag} : memref<4x32x64xbf16> into !amx.tile<16x32xbf16>
    %next = amx.tile_mulf %x, %y, %acc : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    scf.yield %next : !amx.tile<16x16xf32>
  }
  %chosen = scf.if %again -> (!amx.tile<16x16xf32>) {
    scf.yield %sum : !amx.tile<16x16xf32>
  } else {
    scf.yield %zero : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%i, %i], %chosen : memref<?x?xf32, strided<[?, 1], offset: ?>>, !amx.tile<16x16xf32>
  return
}
func.func @ragged(%x: !amx.tile<5x6xbf16>, %y: !amx.tile<3x14xbf16>, %acc: !amx.tile<5x7xf32>) -> !amx.tile<5x7xf32> {
  %0 = amx.tile_mulf %x, %y, %acc {tag} : !amx.tile<5x6xbf16>, !amx.tile<3x14xbf16>, !amx.tile<5x7xf32>
  return %0 : !amx.tile<5x7xf32>
}
