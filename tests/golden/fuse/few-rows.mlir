// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,schedule,simplify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm | FileCheck %s --check-prefix=ASM

// One row: each element of %b is used once, so memory sets the pace. Its rows are walked in long pieces, a few at a time,
// and the next ones are asked for ahead: eight rows of 4 MiB.
// CHECK-LABEL: func.func @row
// CHECK: scf.forall (%{{.*}}, %[[COLUMN:.*]]) = (0, 0) to ({{.*}}, 1048576) step ({{.*}}, 2048)
// CHECK: scf.for %[[TERM:.*]] = %{{.*}} to %c4096 step %c8
// CHECK: tensor.extract_slice %arg1[%[[TERM]], %[[COLUMN]]] [8, 2048]
// ASM: prefetcht1 33554432(
func.func @row(%a: tensor<1x4096xf32>, %b: tensor<4096x1048576xf32>) -> tensor<1x1048576xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1048576xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1048576xf32>) -> tensor<1x1048576xf32>
  %result = linalg.matmul ins(%a, %b : tensor<1x4096xf32>, tensor<4096x1048576xf32>)
      outs(%start : tensor<1x1048576xf32>) -> tensor<1x1048576xf32>
  return %result : tensor<1x1048576xf32>
}
