// A tile takes a step of keys for its last rows, whose first rows see none of them: what these leave out ends where it
// begins, also where the step is added up in parts.
// RUN: env MALLOC_PERTURB_=130 tcc-attn run %s --random --check --verify --tiles=rows=100,softmax=600
// RUN: env MALLOC_PERTURB_=130 tcc-attn run %s --random --check --verify --tiles=rows=100,softmax=600 --target=host:x86-64-v3

#scores = affine_map<(d0, d1) -> (d0, d1)>

func.func @attention(%query: tensor<150x16xf32>, %key: tensor<1300x16xf32>, %value: tensor<1300x16xf32>) -> tensor<150x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %before = arith.constant 550 : index
  %scores_empty = tensor.empty() : tensor<150x1300xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<150x1300xf32>) -> tensor<150x1300xf32>
  %scores = linalg_ext.batch_matmul ins(%query, %key : tensor<150x16xf32>, tensor<1300x16xf32>) outs(%scores_zero : tensor<150x1300xf32>) layout = "nt" -> tensor<150x1300xf32>
  %masked = linalg.generic {indexing_maps = [#scores, #scores], iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<150x1300xf32>) outs(%scores_empty : tensor<150x1300xf32>) {
  ^bb0(%score: f32, %out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %last = arith.addi %row, %before : index
    %visible = arith.cmpi sle, %column, %last : index
    %kept = arith.select %visible, %score, %hidden : f32
    linalg.yield %kept : f32
  } -> tensor<150x1300xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<150x1300xf32>) outs(%scores_empty : tensor<150x1300xf32>) -> tensor<150x1300xf32>
  %result_empty = tensor.empty() : tensor<150x16xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<150x16xf32>) -> tensor<150x16xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<150x1300xf32>, tensor<1300x16xf32>) outs(%result_zero : tensor<150x16xf32>) -> tensor<150x16xf32>
  return %result : tensor<150x16xf32>
}
