// Products of one row: the matrix unit gets that row 16 times, and lanes take of the result the row that they have.
// RUN: tcc-attn opt %s --target=nvptx:sm_90 --verify --passes=repeat-rows,simplify,layout | FileCheck %s

#row = affine_map<(n, k) -> (k)>
#factor = affine_map<(n, k) -> (n, k)>
#columns = affine_map<(n, k) -> (n)>

// CHECK-LABEL: func.func @row
// CHECK: %[[ROWS:.*]] = vector.broadcast %{{.*}} {tec.layouts = ["[L8@4 R2@2, R2@1 L4@1 R2@4 R2@8]"]} : vector<32xf16> to vector<16x32xf16>
// CHECK: %[[ALL:.*]] = vector.contract {{.*}} iterator_types = ["parallel", "parallel", "reduction"], {{.*}} %[[ROWS]], %{{.*}}, %{{.*}} {tec.layouts = ["[L8@4 R2@2, R2@1 L4@1 R2@4]"]} : vector<16x32xf16>, vector<16x32xf16> into vector<16x16xf32>
// CHECK: vector.extract %[[ALL]][0] {tec.layouts = ["[L8@4:0 R2@1 L4@1 R2@2]"]} : vector<16xf32> from vector<16x16xf32>
func.func @row(%x: memref<32xf16>, %y: memref<16x32xf16>, %z: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %narrow = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (1) {
    %row = vector.transfer_read %x[%c0], %narrow {in_bounds = [true]} : memref<32xf16>, vector<32xf16>
    %factor = vector.transfer_read %y[%c0, %c0], %narrow {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
    %sums = vector.contract {indexing_maps = [#row, #factor, #columns], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %row, %factor, %zero : vector<32xf16>, vector<16x32xf16> into vector<16xf32>
    vector.transfer_write %sums, %z[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  }
  return
}

// The row may be the second factor.
// CHECK-LABEL: func.func @second
// CHECK: vector.contract {{.*}} : vector<16x32xbf16>, vector<32x16xbf16> into vector<16x16xf32>
func.func @second(%x: memref<32xbf16>, %y: memref<32x16xbf16>, %z: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %narrow = arith.constant 0.0 : bf16
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (1) {
    %row = vector.transfer_read %x[%c0], %narrow {in_bounds = [true]} : memref<32xbf16>, vector<32xbf16>
    %factor = vector.transfer_read %y[%c0, %c0], %narrow {in_bounds = [true, true]} : memref<32x16xbf16>, vector<32x16xbf16>
    %sums = vector.contract {indexing_maps = [affine_map<(n, k) -> (k, n)>, #row, #columns], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %factor, %row, %zero : vector<32x16xbf16>, vector<32xbf16> into vector<16xf32>
    vector.transfer_write %sums, %z[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  }
  return
}

// The matrix unit has no products of f32.
// CHECK-LABEL: func.func @wide
// CHECK: vector.contract {{.*}} : vector<32xf32>, vector<16x32xf32> into vector<16xf32>
func.func @wide(%x: memref<32xf32>, %y: memref<16x32xf32>, %z: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (1) {
    %row = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
    %factor = vector.transfer_read %y[%c0, %c0], %none {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
    %sums = vector.contract {indexing_maps = [#row, #factor, #columns], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %row, %factor, %zero : vector<32xf32>, vector<16x32xf32> into vector<16xf32>
    vector.transfer_write %sums, %z[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  }
  return
}
