// What is computed from a product's sums while they are in registers takes registers of its own: where these are few, a
// polynomial goes over four registers of sums at a time, two rows here, and the last ones that are left over.
// Other ops go over all.
// RUN: tcc-attn opt %s --target=host:znver3 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s --check-prefix=MANY

// CHECK-LABEL: func.func @gelu(
// CHECK: vector.contract
// CHECK: %[[FIRST:.*]] = vector.extract_strided_slice %[[SUMS:.*]] {offsets = [0], sizes = [2], strides = [1]} : vector<6x16xf32> to vector<2x16xf32>
// CHECK: math.exp %{{.*}} : vector<2x16xf32>
// CHECK: vector.transfer_write %{{.*}} : vector<2x16xf32>
// CHECK: vector.extract_strided_slice %[[SUMS]] {offsets = [2]
// CHECK: vector.extract_strided_slice %[[SUMS]] {offsets = [4]
// MANY-LABEL: func.func @gelu(
// MANY-NOT: vector.extract_strided_slice
// MANY-LABEL: func.func @short(
func.func @gelu(%x: memref<12x64xf32>, %w: memref<64x64xf32>, %y: memref<12x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %linear = arith.constant -1.5957691216 : f32
  %cubic = arith.constant -0.0713548163 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<12x64xf32>)
  linalg.matmul ins(%x, %w : memref<12x64xf32>, memref<64x64xf32>) outs(%y : memref<12x64xf32>)
  linalg.map ins(%y : memref<12x64xf32>) outs(%y : memref<12x64xf32>) (%in: f32, %init: f32) {
    %square = arith.mulf %in, %in : f32
    %bent = arith.mulf %square, %cubic : f32
    %slope = arith.addf %bent, %linear : f32
    %exponent = arith.mulf %slope, %in : f32
    %power = math.exp %exponent : f32
    %below = arith.addf %power, %one : f32
    %activated = arith.divf %in, %below : f32
    linalg.yield %activated : f32
  }
  return
}

// CHECK-LABEL: func.func @short(
// CHECK-NOT: vector.extract_strided_slice
// CHECK: return
func.func @short(%x: memref<12x64xf32>, %w: memref<64x64xf32>, %y: memref<12x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<12x64xf32>)
  linalg.matmul ins(%x, %w : memref<12x64xf32>, memref<64x64xf32>) outs(%y : memref<12x64xf32>)
  linalg.map ins(%y : memref<12x64xf32>) outs(%y : memref<12x64xf32>) (%in: f32, %init: f32) {
    %above = arith.maximumf %in, %zero : f32
    linalg.yield %above : f32
  }
  return
}
