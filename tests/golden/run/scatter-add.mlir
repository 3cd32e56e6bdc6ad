// Updates that meet go in one after the other; GPUs, which have no loops around kernels, cannot.
// RUN: tcc-attn run %s --random --dims=70 --check --verify
// RUN: tcc-attn run %s --random --dims=0 --check
// RUN: not tcc-attn compile %s --target=nvptx:sm_80 -o /dev/null 2>&1 | FileCheck %s
// CHECK: scatter-add.mlir:[[@LINE+2]]:13: error: 'scf.for' op stands outside of kernels
func.func @add(%into: tensor<10x8xf32>, %places: tensor<?x1xi32>, %rows: tensor<?x8xf32>) -> tensor<10x8xf32> {
  %result = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%rows, %places : tensor<?x8xf32>, tensor<?x1xi32>) outs(%into : tensor<10x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    %sum = arith.addf %update, %old : f32
    tm_tensor.yield %sum : f32
  } -> tensor<10x8xf32>
  return %result : tensor<10x8xf32>
}
