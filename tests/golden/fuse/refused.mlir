// RUN: tcc-attn opt %s --passes=transform 2>&1 | FileCheck %s
// A tile loop that softmax does not depend on would update its state again: softmax stays outside, with a remark.

// CHECK: refused.mlir:[[@LINE+15]]:10: remark: not fused: a loop that it does not depend on would update its state again
// CHECK: linalg_ext.softmax dimension(1) ins(%{{.*}} : tensor<16x32xf32>)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: linalg_ext.diag
func.func @free_dim_tiled(%x: tensor<16x32xf32>, %v: tensor<32x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %a = tensor.empty() : tensor<16x32xf32>
  %b = tensor.empty() : tensor<16xf32>
  %max = linalg.fill ins(%lowest : f32) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  %c = tensor.empty() : tensor<16x8xf32>
  %d = linalg.fill ins(%zero : f32) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p:4 = linalg_ext.softmax dimension(1) ins(%x : tensor<16x32xf32>) outs(%a, %max, %sum, %b : tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) : tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  %r = linalg.matmul {__root__} ins(%p#0, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%d : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  %root = transform.structured.match attributes {__root__} in %module : (!transform.any_op) -> !transform.any_op
  %tile, %loops:3 = transform.structured.fuse_ext %root {tile_sizes = [4, 4, 8]}
  cleanup
}
