// Keys and values beyond the second-level cache: where the last one is near, queries go into lanes up to its size (32
// MiB), elsewhere up to a multiple of the second. And there few rows are taken for a mask only where few keys follow,
// or the first cache does not hold the queries of many, or tiles are few.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 --cores=2 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=2 | FileCheck %s --check-prefix=FAR
// RUN: tcc-attn opt %s --passes=schedule --target=host:sapphirerapids --cores=2 | FileCheck %s --check-prefix=FAR

// CHECK-LABEL: @plain
// CHECK: scf.forall {{.*}} step (1, 64)
// CHECK: scf.for {{.*}} step %c64
// FAR-LABEL: @plain
// FAR: scf.forall {{.*}} step (1, {{512|1024}})
func.func @plain(%query: tensor<256x32768x128xf32>, %key: tensor<256x128x32768xf32>, %value: tensor<256x32768x128xf32>,
    %scores_empty: tensor<256x32768x32768xf32>, %result_empty: tensor<256x32768x128xf32>) -> tensor<256x32768x128xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x32768x32768xf32>) -> tensor<256x32768x32768xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x32768x128xf32>, tensor<256x128x32768xf32>)
      outs(%scores_zero : tensor<256x32768x32768xf32>) -> tensor<256x32768x32768xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x32768x32768xf32>) outs(%scores_empty : tensor<256x32768x32768xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<256x32768x32768xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x32768x32768xf32>)
      outs(%scores_empty : tensor<256x32768x32768xf32>) -> tensor<256x32768x32768xf32>
  %result_zero = linalg.fill ins(%zero : f32)
      outs(%result_empty : tensor<256x32768x128xf32>) -> tensor<256x32768x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x32768x32768xf32>, tensor<256x32768x128xf32>)
      outs(%result_zero : tensor<256x32768x128xf32>) -> tensor<256x32768x128xf32>
  return %result : tensor<256x32768x128xf32>
}

// CHECK-LABEL: @beyond
// CHECK: scf.forall {{.*}} step (1, 512)
func.func @beyond(%query: tensor<256x65536x128xf32>, %key: tensor<256x128x65536xf32>, %value: tensor<256x65536x128xf32>,
    %scores_empty: tensor<256x65536x65536xf32>, %result_empty: tensor<256x65536x128xf32>) -> tensor<256x65536x128xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x65536x65536xf32>) -> tensor<256x65536x65536xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x65536x128xf32>, tensor<256x128x65536xf32>)
      outs(%scores_zero : tensor<256x65536x65536xf32>) -> tensor<256x65536x65536xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x65536x65536xf32>) outs(%scores_empty : tensor<256x65536x65536xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<256x65536x65536xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x65536x65536xf32>)
      outs(%scores_empty : tensor<256x65536x65536xf32>) -> tensor<256x65536x65536xf32>
  %result_zero = linalg.fill ins(%zero : f32)
      outs(%result_empty : tensor<256x65536x128xf32>) -> tensor<256x65536x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x65536x65536xf32>, tensor<256x65536x128xf32>)
      outs(%result_zero : tensor<256x65536x128xf32>) -> tensor<256x65536x128xf32>
  return %result : tensor<256x65536x128xf32>
}

// CHECK-LABEL: @masked
// CHECK: scf.forall {{.*}} step (1, 64)
// CHECK: scf.for {{.*}} step %c128
// FAR-LABEL: @masked
// FAR: scf.forall {{.*}} step (1, 32)
func.func @masked(%query: tensor<256x2048x128xf32>, %key: tensor<256x128x2048xf32>, %value: tensor<256x2048x128xf32>,
    %scores_empty: tensor<256x2048x2048xf32>, %result_empty: tensor<256x2048x128xf32>) -> tensor<256x2048x128xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x2048x128xf32>, tensor<256x128x2048xf32>)
      outs(%scores_zero : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x2048x2048xf32>) outs(%scores_empty : tensor<256x2048x2048xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<256x2048x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x2048x2048xf32>)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x2048x128xf32>) -> tensor<256x2048x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x2048x2048xf32>, tensor<256x2048x128xf32>)
      outs(%result_zero : tensor<256x2048x128xf32>) -> tensor<256x2048x128xf32>
  return %result : tensor<256x2048x128xf32>
}

// CHECK-LABEL: @few_keys
// CHECK: scf.forall {{.*}} step (1, 32)
func.func @few_keys(%query: tensor<256x1024x256xf32>, %key: tensor<256x256x1024xf32>, %value: tensor<256x1024x256xf32>,
    %scores_empty: tensor<256x1024x1024xf32>, %result_empty: tensor<256x1024x256xf32>) -> tensor<256x1024x256xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x1024x1024xf32>) -> tensor<256x1024x1024xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x1024x256xf32>, tensor<256x256x1024xf32>)
      outs(%scores_zero : tensor<256x1024x1024xf32>) -> tensor<256x1024x1024xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x1024x1024xf32>) outs(%scores_empty : tensor<256x1024x1024xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<256x1024x1024xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x1024x1024xf32>)
      outs(%scores_empty : tensor<256x1024x1024xf32>) -> tensor<256x1024x1024xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x1024x256xf32>) -> tensor<256x1024x256xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x1024x1024xf32>, tensor<256x1024x256xf32>)
      outs(%result_zero : tensor<256x1024x256xf32>) -> tensor<256x1024x256xf32>
  return %result : tensor<256x1024x256xf32>
}

// CHECK-LABEL: @wide
// CHECK: scf.forall {{.*}} step (1, 32)
func.func @wide(%query: tensor<256x2048x256xf32>, %key: tensor<256x256x2048xf32>, %value: tensor<256x2048x256xf32>,
    %scores_empty: tensor<256x2048x2048xf32>, %result_empty: tensor<256x2048x256xf32>) -> tensor<256x2048x256xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x2048x256xf32>, tensor<256x256x2048xf32>)
      outs(%scores_zero : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x2048x2048xf32>) outs(%scores_empty : tensor<256x2048x2048xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<256x2048x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x2048x2048xf32>)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x2048x256xf32>) -> tensor<256x2048x256xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x2048x2048xf32>, tensor<256x2048x256xf32>)
      outs(%result_zero : tensor<256x2048x256xf32>) -> tensor<256x2048x256xf32>
  return %result : tensor<256x2048x256xf32>
}

// CHECK-LABEL: @second_cache
// CHECK: scf.forall {{.*}} step (1, 32)
func.func @second_cache(%query: tensor<256x2048x64xf32>, %key: tensor<256x64x2048xf32>, %value: tensor<256x2048x64xf32>,
    %scores_empty: tensor<256x2048x2048xf32>, %result_empty: tensor<256x2048x64xf32>) -> tensor<256x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x2048x64xf32>, tensor<256x64x2048xf32>)
      outs(%scores_zero : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x2048x2048xf32>) outs(%scores_empty : tensor<256x2048x2048xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<256x2048x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x2048x2048xf32>)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x2048x64xf32>) -> tensor<256x2048x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x2048x2048xf32>, tensor<256x2048x64xf32>)
      outs(%result_zero : tensor<256x2048x64xf32>) -> tensor<256x2048x64xf32>
  return %result : tensor<256x2048x64xf32>
}

// Tiles enough for threads to share them out are left.
// CHECK-LABEL: @few_rows
// CHECK: scf.forall {{.*}} step (1, 32)
func.func @few_rows(%query: tensor<1x512x128xf32>, %key: tensor<1x128x2048xf32>, %value: tensor<1x2048x128xf32>,
    %scores_empty: tensor<1x512x2048xf32>, %result_empty: tensor<1x512x128xf32>) -> tensor<1x512x128xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<1x512x2048xf32>) -> tensor<1x512x2048xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<1x512x128xf32>, tensor<1x128x2048xf32>)
      outs(%scores_zero : tensor<1x512x2048xf32>) -> tensor<1x512x2048xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<1x512x2048xf32>) outs(%scores_empty : tensor<1x512x2048xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    %query_index = linalg.index 1 : index
    %key_index = linalg.index 2 : index
    %visible = arith.cmpi sle, %key_index, %query_index : index
    %masked = arith.select %visible, %product, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<1x512x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<1x512x2048xf32>)
      outs(%scores_empty : tensor<1x512x2048xf32>) -> tensor<1x512x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<1x512x128xf32>) -> tensor<1x512x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<1x512x2048xf32>, tensor<1x2048x128xf32>)
      outs(%result_zero : tensor<1x512x128xf32>) -> tensor<1x512x128xf32>
  return %result : tensor<1x512x128xf32>
}
