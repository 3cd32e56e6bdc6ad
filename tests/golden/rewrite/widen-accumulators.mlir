// Products of 16-bit floats accumulate in f32 and are rounded once; those that say f32 already stay.
// RUN: tcc-attn opt %s --passes=widen-accumulators | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK: %[[WIDE:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<8x4xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<8x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[WIDE]] : tensor<8x16xf32>)
// CHECK: arith.truncf %in : f32 to f16
func.func @product(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x16xf16>) -> tensor<8x16xf16>
  %c = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%f : tensor<8x16xf16>) -> tensor<8x16xf16>
  return %c : tensor<8x16xf16>
}

// CHECK-LABEL: func.func @wide(
// CHECK: %[[WIDE:.*]] = linalg.matmul
// CHECK-NOT: arith.truncf
// CHECK: return %[[WIDE]]
func.func @wide(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
