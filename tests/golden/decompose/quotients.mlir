// RUN: tcc-attn opt %s --passes=decompose-softmax | FileCheck %s
// The quotient is a result of the function: it is computed, with 0 where the sum is 0. Statistics of f16 are f32.

// CHECK-LABEL: func.func @probabilities(
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%arg0 : tensor<4x8xf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.maximumf {{.*}} : f32
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] : {{.*}}) outs(%{{.*}} : tensor<4x8xf16>)
// CHECK: %[[ZERO:.*]] = arith.cmpf oeq
// CHECK: %[[QUOTIENT:.*]] = arith.divf
// CHECK: arith.select %[[ZERO]], %{{.*}}, %[[QUOTIENT]]
// CHECK: arith.truncf
func.func @probabilities(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %e = tensor.empty() : tensor<4x8xf16>
  %p = linalg.softmax dimension(1) ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %p : tensor<4x8xf16>
}

// A diagonal that no contraction consumes shows its zeros.
// CHECK-LABEL: func.func @diagonal(
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: arith.cmpi eq
// CHECK: arith.select
func.func @diagonal(%s: tensor<4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %d = linalg_ext.diag ins(%s : tensor<4xf32>) outs(%e : tensor<4x4xf32>) : tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
