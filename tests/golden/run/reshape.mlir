// Shapes that are computed: the elements stay in row-major order. Known shapes need no reading.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --func=merged --random --check --dims=3,5
// RUN: tcc-attn run %s --func=scalars --random --check

// CHECK-LABEL: func.func @merged(
// CHECK-NOT: tensor.reshape
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape {{.*}} {{\[\[}}0, 1, 2]] : tensor<?x4x?xf32> into tensor<?xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [%{{.*}}, %{{.*}}] : tensor<?xf32> into tensor<?x?xf32>
func.func @merged(%x: tensor<?x4x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : i64
  %b = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %wide = arith.index_cast %b : index to i64
  %rows = arith.muli %wide, %c4 : i64
  %columns = arith.index_cast %n : index to i64
  %sizes = tensor.from_elements %rows, %columns : tensor<2xi64>
  %r = tensor.reshape %x(%sizes) : (tensor<?x4x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @known(
// CHECK-NOT: tensor.reshape
// CHECK: return
func.func @known(%x: tensor<6x4xf32>, %sizes: tensor<3xi32>) -> tensor<2x3x4xf32> {
  %r = tensor.reshape %x(%sizes) : (tensor<6x4xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scalars(
// CHECK-NOT: tensor.reshape
// CHECK: return
func.func @scalars(%x: tensor<1x1xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<1x1xf32>) {
  %c1 = arith.constant 1 : index
  %none = tensor.from_elements : tensor<0xindex>
  %ones = tensor.from_elements %c1, %c1 : tensor<2xindex>
  %r = tensor.reshape %x(%none) : (tensor<1x1xf32>, tensor<0xindex>) -> tensor<f32>
  %s = tensor.reshape %y(%ones) : (tensor<f32>, tensor<2xindex>) -> tensor<1x1xf32>
  return %r, %s : tensor<f32>, tensor<1x1xf32>
}
