// An open number of rows, terms and columns: pieces of a few terms are more than 64 bits count, while longer ones, by which
// the product was found to have the time to ask for its rows, are not. Each piece then asks for one line.
// RUN: tcc-attn compile %s --target=host:skylake-avx512 --cores=1 --emit=mlir -o - --verify | FileCheck %s

// CHECK: vector_ext.prefetch {{.*}} : memref<?x1xf32, strided<[?, 1], offset: ?>>
// CHECK-NOT: vector_ext.prefetch
// CHECK: vector.contract
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i)>, affine_map<(k, i, j) -> (k, j)>, affine_map<(k, i, j) -> (i, j)>],
    iterator_types = ["reduction", "parallel", "parallel"]} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%r : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}
