// A product's tiles that no mask cuts are written without it: comparing indices is for those on the diagonal.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify --verify | FileCheck %s
#map = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @causal(
// CHECK: vector.contract
// CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %c0{{.*}}, %{{.*}} : index
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK-NOT: arith.select
// CHECK: vector.transfer_write
// CHECK: } else {
// CHECK: arith.select
// CHECK: vector.transfer_write
// CHECK: return
func.func @causal(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %c: memref<64x64xf32>, %first: index) {
  %hidden = arith.constant 0xFF800000 : f32
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%c : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%c : memref<64x64xf32>) {
  ^bb0(%score: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %key = arith.addi %first, %j : index
    %seen = arith.cmpi sle, %key, %i : index
    %masked = arith.select %seen, %score, %hidden : f32
    linalg.yield %masked : f32
  }
  return
}

// Both sides of a window must leave the tile whole.
// CHECK-LABEL: func.func @window(
// CHECK: vector.contract
// CHECK: %[[LEAST:.*]] = {{affine.min|arith.minsi}}
// CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %c0{{.*}}, %[[LEAST]] : index
// CHECK: scf.if %[[WHOLE]] {
// CHECK: return
func.func @window(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %c: memref<64x64xf32>, %first: index) {
  %hidden = arith.constant 0xFF800000 : f32
  %width = arith.constant 16 : index
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%c : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%c : memref<64x64xf32>) {
  ^bb0(%score: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %key = arith.addi %first, %j : index
    %end = arith.addi %key, %width : index
    %not_later = arith.cmpi sle, %key, %i : index
    %near = arith.cmpi sgt, %end, %i : index
    %seen = arith.andi %not_later, %near : i1
    %masked = arith.select %seen, %score, %hidden : f32
    linalg.yield %masked : f32
  }
  return
}

// Nothing is known of a condition that comes from memory.
// CHECK-LABEL: func.func @from_memory(
// CHECK-NOT: scf.if
// CHECK: return
func.func @from_memory(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %seen: memref<64x64xi1>, %c: memref<64x64xf32>) {
  %hidden = arith.constant 0xFF800000 : f32
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%c : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%seen : memref<64x64xi1>) outs(%c : memref<64x64xf32>) {
  ^bb0(%keep: i1, %score: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %causal = arith.cmpi sle, %j, %i : index
    %both = arith.andi %causal, %keep : i1
    %masked = arith.select %both, %score, %hidden : f32
    linalg.yield %masked : f32
  }
  return
}
