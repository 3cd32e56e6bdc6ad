// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s

// CHECK-LABEL: func.func @slices
// CHECK: tensor.extract_slice %arg0[%arg1, 6] [1, 4] [1, 1] : tensor<16x16xf32> to tensor<4xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[E]] : tensor<4x4xf32>)
// CHECK-NOT: tensor.extract_slice
func.func @slices(%a: tensor<16x16xf32>, %i: index) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %0 = tensor.extract_slice %a[%i, 4] [1, 12] [1, 1] : tensor<16x16xf32> to tensor<12xf32>
  %1 = tensor.extract_slice %0[2] [4] [1] : tensor<12xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = tensor.extract_slice %f[%i, %i] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4x4xf32>
}

// The dim of a result is the dim of the first operand that shares the loop.
// CHECK-LABEL: func.func @dims
// CHECK-NOT: linalg.matmul
// CHECK: tensor.dim %arg0, %c0
// CHECK: tensor.dim %arg1, %c1
func.func @dims(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}
