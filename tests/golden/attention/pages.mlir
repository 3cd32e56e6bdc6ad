// Keys and values in pages that a table names, as a server keeps them: each step of the kernel gathers its part, whole
// vectors at a time, and few queries take steps whose part the first cache holds.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,schedule | FileCheck %s --check-prefix=STEP
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --verify --dump=register-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: tcc-attn run %s --func=pages --random --check | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=pages --random=2 --check --target=host:x86-64 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=rows --random=3 --dims=77,77 --check | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=rows --random=4 --dims=300,300 --check --threads=2 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}

#whole = affine_map<(h, t, d) -> (h, t, d)>
#scores = affine_map<(h, q, t, d) -> (h, q, t)>
#queries = affine_map<(h, q, t, d) -> (h, q, d)>
#keys = affine_map<(h, q, t, d) -> (h, t, d)>

// CHECK-LABEL: @pages (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// STEP-LABEL: func.func @pages(
// STEP: scf.for {{.*}} step %c16{{[ _]}}
// VECTOR-LABEL: func.func @pages(
// VECTOR: scf.for
// VECTOR: vector.transfer_read %arg1[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<40x2x16x128xf32>, vector<64xf32>
// VECTOR: vector.transfer_read %arg2[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<40x2x16x128xf32>, vector<64xf32>
func.func @pages(%query: tensor<2x1x128xf32>, %key_pages: tensor<40x2x16x128xf32>, %value_pages: tensor<40x2x16x128xf32>,
    %table: tensor<64xi32>) -> tensor<2x1x128xf32> {
  %zero = arith.constant 0.0 : f32
  %page_size = arith.constant 16 : index
  %most = arith.constant 39 : i32
  %none = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x1024x128xf32>
  %key = linalg.generic {indexing_maps = [#whole], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : tensor<2x1024x128xf32>) {
  ^bb0(%out: f32):
    %h = linalg.index 0 : index
    %t = linalg.index 1 : index
    %d = linalg.index 2 : index
    %number = arith.divui %t, %page_size : index
    %inside = arith.remui %t, %page_size : index
    %named = tensor.extract %table[%number] : tensor<64xi32>
    %low = arith.maxsi %named, %none : i32
    %there = arith.minsi %low, %most : i32
    %page = arith.index_cast %there : i32 to index
    %element = tensor.extract %key_pages[%page, %h, %inside, %d] : tensor<40x2x16x128xf32>
    linalg.yield %element : f32
  } -> tensor<2x1024x128xf32>
  %value = linalg.generic {indexing_maps = [#whole], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : tensor<2x1024x128xf32>) {
  ^bb0(%out: f32):
    %h = linalg.index 0 : index
    %t = linalg.index 1 : index
    %d = linalg.index 2 : index
    %number = arith.divui %t, %page_size : index
    %inside = arith.remui %t, %page_size : index
    %named = tensor.extract %table[%number] : tensor<64xi32>
    %low = arith.maxsi %named, %none : i32
    %there = arith.minsi %low, %most : i32
    %page = arith.index_cast %there : i32 to index
    %element = tensor.extract %value_pages[%page, %h, %inside, %d] : tensor<40x2x16x128xf32>
    linalg.yield %element : f32
  } -> tensor<2x1024x128xf32>
  %scores_empty = tensor.empty() : tensor<2x1x1024xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<2x1x1024xf32>) -> tensor<2x1x1024xf32>
  %scores = linalg.contract indexing_maps = [#queries, #keys, #scores]
      ins(%query, %key : tensor<2x1x128xf32>, tensor<2x1024x128xf32>) outs(%scores_zero : tensor<2x1x1024xf32>)
      -> tensor<2x1x1024xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x1x1024xf32>) outs(%scores_empty : tensor<2x1x1024xf32>)
      -> tensor<2x1x1024xf32>
  %result_empty = tensor.empty() : tensor<2x1x128xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<2x1x128xf32>) -> tensor<2x1x128xf32>
  %result = linalg.contract indexing_maps = [#scores, #keys, #queries]
      ins(%weights, %value : tensor<2x1x1024xf32>, tensor<2x1024x128xf32>) outs(%result_zero : tensor<2x1x128xf32>)
      -> tensor<2x1x128xf32>
  return %result : tensor<2x1x128xf32>
}

// Rows by number, an open number of them, for several queries.
// CHECK-LABEL: @rows (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// VECTOR-LABEL: func.func @rows(
// VECTOR: scf.for
// VECTOR: vector.transfer_read %arg1[%{{.*}}, %{{.*}}], %{{.*}} : memref<500x40xf32>, vector<
func.func @rows(%query: tensor<1x5x40xf32>, %keys: tensor<500x40xf32>, %key_numbers: tensor<?xi16>, %values: tensor<500x40xf32>,
    %value_numbers: tensor<?xi16>) -> tensor<1x5x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %mask = arith.constant 255 : i16
  %count = tensor.dim %key_numbers, %c0 : tensor<?xi16>
  %empty = tensor.empty(%count) : tensor<1x?x40xf32>
  %key = linalg.generic {indexing_maps = [affine_map<(h, t, d) -> (t)>, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key_numbers : tensor<?xi16>) outs(%empty : tensor<1x?x40xf32>) {
  ^bb0(%number: i16, %out: f32):
    %d = linalg.index 2 : index
    %there = arith.andi %number, %mask : i16
    %row = arith.index_cast %there : i16 to index
    %element = tensor.extract %keys[%row, %d] : tensor<500x40xf32>
    linalg.yield %element : f32
  } -> tensor<1x?x40xf32>
  %value = linalg.generic {indexing_maps = [affine_map<(h, t, d) -> (t)>, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%value_numbers : tensor<?xi16>) outs(%empty : tensor<1x?x40xf32>) {
  ^bb0(%number: i16, %out: f32):
    %d = linalg.index 2 : index
    %there = arith.andi %number, %mask : i16
    %row = arith.index_cast %there : i16 to index
    %element = tensor.extract %values[%row, %d] : tensor<500x40xf32>
    linalg.yield %element : f32
  } -> tensor<1x?x40xf32>
  %scores_empty = tensor.empty(%count) : tensor<1x5x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1x5x?xf32>) -> tensor<1x5x?xf32>
  %scores = linalg.contract indexing_maps = [#queries, #keys, #scores]
      ins(%query, %key : tensor<1x5x40xf32>, tensor<1x?x40xf32>) outs(%scores_zero : tensor<1x5x?xf32>) -> tensor<1x5x?xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<1x5x?xf32>) outs(%scores_empty : tensor<1x5x?xf32>)
      -> tensor<1x5x?xf32>
  %result_empty = tensor.empty() : tensor<1x5x40xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<1x5x40xf32>) -> tensor<1x5x40xf32>
  %result = linalg.contract indexing_maps = [#scores, #keys, #queries]
      ins(%weights, %value : tensor<1x5x?xf32>, tensor<1x?x40xf32>) outs(%result_zero : tensor<1x5x40xf32>)
      -> tensor<1x5x40xf32>
  return %result : tensor<1x5x40xf32>
}
