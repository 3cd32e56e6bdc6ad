// Vector ops.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @vectors(%m: memref<?x8xf32>, %t: tensor<4x8xf32>, %i: index, %x: f32, %acc: vector<4x4xf32>) -> vector<4x4xf32> {
  %0 = vector.transfer_read %m[%i, %i], %x : memref<?x8xf32>, vector<4x8xf32>
  %1 = vector.create_mask %i, %i : vector<8x4xi1>
  %2 = vector.transfer_read %m[%i, %i], %x {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x8xf32>, vector<8x4xf32>
  %3 = vector.transfer_read %t[%i, %i], %x {in_bounds = [true]} : tensor<4x8xf32>, vector<8xf32>
  vector.transfer_write %0, %m[%i, %i] : vector<4x8xf32>, memref<?x8xf32>
  %4 = vector.transfer_write %0, %t[%i, %i] {in_bounds = [true, true], tag} : vector<4x8xf32>, tensor<4x8xf32>
  %5 = vector.contract {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %2, %acc {tag} : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  %6 = vector.multi_reduction <maximumf>, %0, %x [0, 1] : vector<4x8xf32> to f32
  %7 = vector.broadcast %6 : f32 to vector<4x8xf32>
  %8 = vector.transpose %7, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %9 = vector.shape_cast %8 : vector<8x4xf32> to vector<32xf32>
  %10 = vector.extract %7[0, %i] : f32 from vector<4x8xf32>
  %11 = vector.extract %7[1] : vector<8xf32> from vector<4x8xf32>
  %12 = vector.insert %10, %7 [0, %i] : f32 into vector<4x8xf32>
  %13 = vector.extract_strided_slice %12 {offsets = [0, 0], sizes = [2, 8], strides = [1, 1]} : vector<4x8xf32> to vector<2x8xf32>
  %14 = vector.insert_strided_slice %13, %12 {offsets = [2, 0], strides = [1, 1]} : vector<2x8xf32> into vector<4x8xf32>
  %15 = vector.step : vector<8xindex>
  %16 = vector.create_mask %i : vector<8xi1>
  %17 = vector.gather %m[%i, %i] [%15], %16, %11 : memref<?x8xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %18 = vector.load %m[%i, %i] {alignment = 16 : i64} : memref<?x8xf32>, vector<4xf32>
  vector.store %18, %m[%i, %i] : memref<?x8xf32>, vector<4xf32>
  %21 = vector.bitcast %11 : vector<8xf32> to vector<16xf16>
  %20 = vector.interleave %11, %11 : vector<8xf32> -> vector<16xf32>
  %22:2 = vector.deinterleave %20 : vector<16xf32> -> vector<8xf32>
  %19 = vector.from_elements %x, %x : vector<2xf32>
  %24 = vector.shuffle %11, %19 [9, 6, 5, 0] : vector<8xf32>, vector<2xf32>
  return %5 : vector<4x4xf32>
}
