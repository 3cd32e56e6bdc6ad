// Buffers, layouts, memory spaces, globals.
memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> {alignment = 64 : i64}
memref.global @ones : memref<4xf32> = dense<1.0>
func.func @buffers(%m: memref<?x8xf32, strided<[8, 1], offset: ?>>, %i: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
  %1 = memref.alloca() : memref<8x4xf16, #gpu.address_space<workgroup>>
  %2 = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
  %3 = memref.get_global @table : memref<2x2xf32>
  %4 = memref.subview %m[%i, 0] [4, 8] [1, 1] : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  %5 = memref.expand_shape %0 [[0, 1]] output_shape [%i, 4] : memref<?xf32> into memref<?x4xf32>
  %6 = memref.collapse_shape %5 [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %7 = memref.cast %3 : memref<2x2xf32> to memref<?x2xf32>
  %8 = memref.dim %m, %c0 : memref<?x8xf32, strided<[8, 1], offset: ?>>
  %intptr = memref.extract_aligned_pointer_as_index %3 : memref<2x2xf32> -> index
  %9 = memref.load %m[%i, %c0] : memref<?x8xf32, strided<[8, 1], offset: ?>>
  memref.store %x, %m[%i, %c0] {nontemporal = true} : memref<?x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %2, %2 : memref<4xf32, #gpu.address_space<private>> to memref<4xf32, #gpu.address_space<private>>
  memref.dealloc %0 : memref<?xf32>
  return %9 : f32
}
// Row-major both, though the strides do not multiply up.
func.func @no_elements(%m: memref<?x3x3x0x0x3xf16>) -> memref<?x0x3xf16> {
  %0 = memref.collapse_shape %m [[0, 1, 2], [3, 4], [5]] : memref<?x3x3x0x0x3xf16> into memref<?x0x3xf16>
  return %0 : memref<?x0x3xf16>
}
