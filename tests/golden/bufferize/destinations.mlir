// RUN: tcc-attn opt %s --passes=bufferize | FileCheck %s
// Tiles are computed where they are inserted; scratch is as large as a tile can be, and private to its iteration.

// CHECK-LABEL: func.func @forall(
// CHECK: scf.forall (%[[I:.*]]) = (0) to (9) step (4) {
// CHECK: %[[SCRATCH:.*]] = memref.alloca() {{.*}} : memref<4x8xf32>
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[IN:.*]] = memref.subview %arg0[%[[I]], 0] [%[[SIZE]], 8]
// CHECK: %[[TILE:.*]] = memref.subview %[[SCRATCH]][0, 0] [%[[SIZE]], 8]
// CHECK: linalg.exp ins(%[[IN]] {{.*}} outs(%[[TILE]]
// CHECK: %[[OUT:.*]] = memref.subview %arg1[%[[I]], 0] [%[[SIZE]], 8]
// CHECK: linalg.add ins(%[[TILE]], %[[IN]] {{.*}} outs(%[[OUT]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @forall(%a: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %e = tensor.empty() : tensor<9x8xf32>
  %r = scf.forall (%i) = (0) to (9) step (4) shared_outs(%o = %e) -> (tensor<9x8xf32>) {
    %n = affine.min affine_map<(d0) -> (4, -d0 + 9)>(%i)
    %s = tensor.extract_slice %a[%i, 0] [%n, 8] [1, 1] : tensor<9x8xf32> to tensor<?x8xf32>
    %t = tensor.empty(%n) : tensor<?x8xf32>
    %x = linalg.exp ins(%s : tensor<?x8xf32>) outs(%t : tensor<?x8xf32>) -> tensor<?x8xf32>
    %t2 = tensor.empty(%n) : tensor<?x8xf32>
    %y = linalg.add ins(%x, %s : tensor<?x8xf32>, tensor<?x8xf32>) outs(%t2 : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<9x8xf32>
    }
  }
  return %r : tensor<9x8xf32>
}
