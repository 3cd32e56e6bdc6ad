// Memory and vectors: views, copies, transfers in and out of bounds, contractions, reductions, broadcasts, shuffles.
func.func private @numbers() -> memref<6x8xf32> {
  %m = memref.alloc() : memref<6x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %k = affine.apply affine_map<(d0, d1) -> ((d0 * 7 + d1 * 3) mod 11 - 5)>(%i, %j)
      %n = arith.index_cast %k : index to i32
      %f = arith.sitofp %n : i32 to f32
      memref.store %f, %m[%i, %j] : memref<6x8xf32>
    }
  }
  return %m : memref<6x8xf32>
}

func.func @views() -> (f32, f32, index) {
  %m = call @numbers() : () -> memref<6x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = memref.subview %m[1, 2] [2, 3] [2, 1] : memref<6x8xf32> to memref<2x3xf32, strided<[16, 1], offset: 10>>
  %x = memref.load %v[%c1, %c2] : memref<2x3xf32, strided<[16, 1], offset: 10>>
  %nine = arith.constant 9.0 : f32
  memref.store %nine, %v[%c0, %c1] : memref<2x3xf32, strided<[16, 1], offset: 10>>
  %c3 = arith.constant 3 : index
  %y = memref.load %m[%c1, %c3] : memref<6x8xf32>
  %d = memref.dim %v, %c1 : memref<2x3xf32, strided<[16, 1], offset: 10>>
  return %x, %y, %d : f32, f32, index
}

func.func @copies() -> f32 {
  %m = call @numbers() : () -> memref<6x8xf32>
  %c1 = arith.constant 1 : index
  %t = memref.alloca() : memref<6x8xf32>
  memref.copy %m, %t : memref<6x8xf32> to memref<6x8xf32>
  %s = memref.subview %t[0, 0] [6, 1] [1, 1] : memref<6x8xf32> to memref<6xf32, strided<[8]>>
  %u = memref.subview %t[0, 1] [6, 1] [1, 1] : memref<6x8xf32> to memref<6xf32, strided<[8], offset: 1>>
  memref.copy %s, %u : memref<6xf32, strided<[8]>> to memref<6xf32, strided<[8], offset: 1>>
  %x = memref.load %t[%c1, %c1] : memref<6x8xf32>
  return %x : f32
}

func.func @transfers() -> (f32, f32) {
  %m = call @numbers() : () -> memref<6x8xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %pad = arith.constant 0.5 : f32
  %v = vector.transfer_read %m[%c4, %c5], %pad : memref<6x8xf32>, vector<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %sum = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<4x4xf32> to f32
  %w = vector.transfer_read %m[%c0, %c5], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]} : memref<6x8xf32>, vector<3x6xf32>
  vector.transfer_write %w, %m[%c4, %c5] : vector<3x6xf32>, memref<6x8xf32>
  %x = memref.load %m[%c5, %c5] : memref<6x8xf32>
  return %sum, %x : f32, f32
}

func.func @contractions() -> (f32, f32) {
  %m = call @numbers() : () -> memref<6x8xf32>
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]} : memref<6x8xf32>, vector<3x4xf32>
  %b = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]} : memref<6x8xf32>, vector<4x5xf32>
  %z = arith.constant dense<1.0> : vector<3x5xf32>
  %c = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %a, %b, %z : vector<3x4xf32>, vector<4x5xf32> into vector<3x5xf32>
  %low = arith.constant dense<-100.0> : vector<3xf32>
  %rows = vector.multi_reduction <maximumf>, %c, %low [1] : vector<3x5xf32> to vector<3xf32>
  %zero = arith.constant 0.0 : f32
  %sum = vector.multi_reduction <add>, %rows, %zero [0] : vector<3xf32> to f32
  %first = vector.extract %c[2, 3] : f32 from vector<3x5xf32>
  return %sum, %first : f32, f32
}

func.func @rearrangements() -> (f32, f32) {
  %m = call @numbers() : () -> memref<6x8xf32>
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]} : memref<6x8xf32>, vector<3x4xf32>
  %t = vector.transpose %a, [1, 0] : vector<3x4xf32> to vector<4x3xf32>
  %s = vector.shape_cast %t : vector<4x3xf32> to vector<12xf32>
  %x = vector.extract %s[7] : f32 from vector<12xf32>
  %b = vector.broadcast %x : f32 to vector<2x3xf32>
  %r = vector.extract %t[2] : vector<3xf32> from vector<4x3xf32>
  %b2 = vector.broadcast %r : vector<3xf32> to vector<2x3xf32>
  %p = arith.mulf %b, %b2 : vector<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %sum = vector.multi_reduction <add>, %p, %zero [0, 1] : vector<2x3xf32> to f32
  return %x, %sum : f32, f32
}
