// What is known of a mask outlives that other memory is released: terms that are 0 are left out.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK: memref.dealloc
// CHECK: %[[END:.*]] = affine.apply
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c1 iter_args
// CHECK: vector.contract
func.func @product(%x: memref<64x64xf32>, %p: memref<64x64xf32>, %v: memref<64x32xf32>, %o: memref<64x32xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  %other = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%other : memref<64x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%other : memref<64x64xf32>) outs(%p : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = linalg.index 0 : index
    %k = linalg.index 1 : index
    %visible = arith.cmpi sle, %k, %q : index
    %1 = arith.select %visible, %a, %lowest : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  }
  memref.dealloc %other : memref<64x64xf32>
  linalg.matmul ins(%p, %v : memref<64x64xf32>, memref<64x32xf32>) outs(%o : memref<64x32xf32>)
  return
}
