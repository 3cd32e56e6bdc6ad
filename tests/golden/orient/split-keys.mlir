// Keys that are shared out among threads: the loop's result is divided by what is the next op behind it, block by block,
// while its maxima and sums go out as they are and are turned back whole.
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --cores=2 --verify --dump=hoist-factors -o /dev/null 2>&1 | FileCheck %s
// RUN: %if avx2 %{ tcc-attn run %s --random --check --target=host:x86-64-v3 --threads=2 2>&1 | FileCheck %s --check-prefix=RESULT %}

// RESULT: {{: good$}}

// CHECK: after hoist-factors
// CHECK: %[[PARTS:.*]]:3 = scf.forall (%{{.*}}, %[[PART:.*]]) = (0, 0) to (16, 2) step (16, 1) shared_outs(%[[RESULTS:.*]] = %{{.*}}, %[[MAXIMA:.*]] = %{{.*}}, %[[SUMS:.*]] = %{{.*}}) ->
// CHECK: %[[END:.*]]:3 = scf.for {{.*}} -> (tensor<2x64x8xf64>, tensor<2x8xf64>, tensor<2x8xf64>)
// CHECK: scf.for {{.*}} to %c2
// CHECK: tensor.extract_slice %[[END]]
// CHECK: scf.forall.in_parallel {
// CHECK-DAG: tensor.parallel_insert_slice %{{.*}} into %[[RESULTS]][0, %[[PART]], 0, 0]
// CHECK-DAG: tensor.parallel_insert_slice %{{.*}} into %[[MAXIMA]][0, %[[PART]], 0]
// CHECK-DAG: tensor.parallel_insert_slice %{{.*}} into %[[SUMS]][0, %[[PART]], 0]
func.func @attention(%query: tensor<16x64xf64>, %key: tensor<512x64xf64>, %value: tensor<512x64xf64>) -> tensor<16x64xf64> {
  %zero = arith.constant 0.0 : f64
  %scores_empty = tensor.empty() : tensor<16x512xf64>
  %scores_zero = linalg.fill ins(%zero : f64) outs(%scores_empty : tensor<16x512xf64>) -> tensor<16x512xf64>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<16x64xf64>, tensor<512x64xf64>)
      outs(%scores_zero : tensor<16x512xf64>) layout = "nt" -> tensor<16x512xf64>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<16x512xf64>) outs(%scores_empty : tensor<16x512xf64>)
      -> tensor<16x512xf64>
  %result_empty = tensor.empty() : tensor<16x64xf64>
  %result_zero = linalg.fill ins(%zero : f64) outs(%result_empty : tensor<16x64xf64>) -> tensor<16x64xf64>
  %result = linalg.matmul ins(%weights, %value : tensor<16x512xf64>, tensor<512x64xf64>)
      outs(%result_zero : tensor<16x64xf64>) -> tensor<16x64xf64>
  return %result : tensor<16x64xf64>
}
