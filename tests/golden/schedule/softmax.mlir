// Tiles of a running softmax, on a processor with a megabyte of second-level cache and 32 registers: 64 rows, which go
// into lanes, and long steps; few rows and short steps where a mask cuts tiles.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 | FileCheck %s
// A first-level cache of 48 KiB has room for the scores of 64 rows and 128 keys; one of 32 KiB for those of none.
// RUN: tcc-attn opt %s --passes=schedule --target=host:sapphirerapids | FileCheck %s --check-prefix=ROOM
// ROOM-LABEL: @plain
// ROOM: scf.forall {{.*}} step (1, 64)
// ROOM: scf.for {{.*}} step %c128

// CHECK-LABEL: @plain
// CHECK: scf.forall {{.*}} step (1, 64)
// CHECK: scf.for {{.*}} step %c256
func.func @plain(%query: tensor<256x2048x64xf32>, %key: tensor<256x64x2048xf32>, %value: tensor<256x2048x64xf32>,
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
    linalg.yield %product : f32
  } -> tensor<256x2048x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x2048x2048xf32>)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x2048x64xf32>) -> tensor<256x2048x64xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x2048x2048xf32>, tensor<256x2048x64xf32>)
      outs(%result_zero : tensor<256x2048x64xf32>) -> tensor<256x2048x64xf32>
  return %result : tensor<256x2048x64xf32>
}

// CHECK-LABEL: @masked
// CHECK: scf.forall {{.*}} step (1, 32)
// CHECK: scf.for {{.*}} step %c128
func.func @masked(%query: tensor<256x2048x64xf32>, %key: tensor<256x64x2048xf32>, %value: tensor<256x2048x64xf32>,
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

// Keys and values that are far away are shared by more rows; later so where shuffles, which transpose tiles of keys, take
// the place of multiply-adds, or where a quarter of the last cache holds them.
// RUN: sed 's/8192/16384/g' %s | tcc-attn opt - --passes=schedule --target=host:znver4 | FileCheck %s --check-prefix=FAR
// FAR-LABEL: @far
// FAR: scf.forall {{.*}} step (1, 512)
// FAR: scf.for {{.*}} step %c128
// CHECK-LABEL: @far
// CHECK: scf.forall {{.*}} step (1, 64)
// ROOM-LABEL: @far
// ROOM: scf.forall {{.*}} step (1, 64)
func.func @far(%query: tensor<256x8192x128xf32>, %key: tensor<256x128x8192xf32>, %value: tensor<256x8192x128xf32>,
    %scores_empty: tensor<256x8192x8192xf32>, %result_empty: tensor<256x8192x128xf32>) -> tensor<256x8192x128xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %scores_zero = linalg.fill ins(%zero : f32)
      outs(%scores_empty : tensor<256x8192x8192xf32>) -> tensor<256x8192x8192xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<256x8192x128xf32>, tensor<256x128x8192xf32>)
      outs(%scores_zero : tensor<256x8192x8192xf32>) -> tensor<256x8192x8192xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<256x8192x8192xf32>) outs(%scores_empty : tensor<256x8192x8192xf32>) {
  ^bb0(%score: f32, %out: f32):
    %product = arith.mulf %score, %scale : f32
    linalg.yield %product : f32
  } -> tensor<256x8192x8192xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x8192x8192xf32>)
      outs(%scores_empty : tensor<256x8192x8192xf32>) -> tensor<256x8192x8192xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x8192x128xf32>) -> tensor<256x8192x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x8192x8192xf32>, tensor<256x8192x128xf32>)
      outs(%result_zero : tensor<256x8192x128xf32>) -> tensor<256x8192x128xf32>
  return %result : tensor<256x8192x128xf32>
}

// With 128 features, scores leave room for the queries where steps are shorter.
// CHECK-LABEL: @wide
// CHECK: scf.for {{.*}} step %c256
// ROOM-LABEL: @wide
// ROOM: scf.forall {{.*}} step (1, 64)
// ROOM: scf.for {{.*}} step %c64
func.func @wide(%query: tensor<256x2048x128xf32>, %key: tensor<256x128x2048xf32>, %value: tensor<256x2048x128xf32>,
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
    linalg.yield %product : f32
  } -> tensor<256x2048x2048xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<256x2048x2048xf32>)
      outs(%scores_empty : tensor<256x2048x2048xf32>) -> tensor<256x2048x2048xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<256x2048x128xf32>) -> tensor<256x2048x128xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<256x2048x2048xf32>, tensor<256x2048x128xf32>)
      outs(%result_zero : tensor<256x2048x128xf32>) -> tensor<256x2048x128xf32>
  return %result : tensor<256x2048x128xf32>
}
