// Tensors stacked along a new last dim, as both halves of bytes or of rotated pairs are, become one op that chooses; along
// other dims each is inserted in its place. Collapsing twice is collapsing once, and results that are reshaped behind the
// last kernel are computed in place.
// RUN: tcc-attn opt %s --passes=simplify --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --emit=mlir -o - | FileCheck %s --check-prefix=PLACE
// RUN: sh -c 'for f in last first open wide; do tcc-attn run %s --func=$f --random --dims=5 --check || exit 1; done'
// RUN: sh -c 'for f in last first open wide; do tcc-attn run %s --func=$f --random --dims=5 --check --device=ptx-emu || exit 1; done'

// CHECK-LABEL: func.func @last(
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<6x4xf32>, tensor<6x4xf32>)
// CHECK: %[[I:.*]] = linalg.index 2
// CHECK: arith.cmpi eq, %[[I]], %c0
// CHECK: arith.select
// CHECK: tensor.collapse_shape %[[S]] {{\[}}[0, 1, 2]] : tensor<6x4x2xf32> into tensor<48xf32>
// CHECK-NEXT: return
// PLACE-LABEL: func.func @last(
// PLACE-NOT: memref.alloc
// PLACE: return
func.func @last(%a: tensor<6x4xf32>, %b: tensor<6x4xf32>) -> tensor<48xf32> {
  %a1 = tensor.expand_shape %a [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xf32> into tensor<6x4x1xf32>
  %b1 = tensor.expand_shape %b [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xf32> into tensor<6x4x1xf32>
  %both = tensor.concat dim(2) %a1, %b1 : (tensor<6x4x1xf32>, tensor<6x4x1xf32>) -> tensor<6x4x2xf32>
  %rows = tensor.collapse_shape %both [[0], [1, 2]] : tensor<6x4x2xf32> into tensor<6x8xf32>
  %all = tensor.collapse_shape %rows [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  return %all : tensor<48xf32>
}

// CHECK-LABEL: func.func @first(
// CHECK-COUNT-2: tensor.insert_slice
func.func @first(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %both = tensor.concat dim(0) %a, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %both : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @open(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
// CHECK-COUNT-2: arith.select
func.func @open(%a: tensor<?x1xi32>, %b: tensor<?x1xi32>, %c: tensor<?x1xi32>) -> tensor<?x3xi32> {
  %all = tensor.concat dim(1) %a, %b, %c : (tensor<?x1xi32>, tensor<?x1xi32>, tensor<?x1xi32>) -> tensor<?x3xi32>
  return %all : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-2: tensor.insert_slice
func.func @wide(%a: tensor<4x1xf32>, %b: tensor<4x3xf32>) -> tensor<4x4xf32> {
  %all = tensor.concat dim(1) %a, %b : (tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return %all : tensor<4x4xf32>
}
