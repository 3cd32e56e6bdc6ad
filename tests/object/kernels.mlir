// Attention with unknown numbers of queries and keys, whose scores are scaled by an argument.
func.func @attention(%query: tensor<?x24xf32>, %key: tensor<?x24xf32>, %value: tensor<?x20xf32>, %scale: f32)
    -> tensor<?x20xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %query, %c0 : tensor<?x24xf32>
  %n = tensor.dim %key, %c0 : tensor<?x24xf32>
  %scores_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %scores = linalg.matmul_transpose_b ins(%query, %key : tensor<?x24xf32>, tensor<?x24xf32>)
      outs(%scores_zero : tensor<?x?xf32>) -> tensor<?x?xf32>
  %scaled = linalg.map ins(%scores : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>)
    (%score: f32) {
      %product = arith.mulf %score, %scale : f32
      linalg.yield %product : f32
    }
  %weights = linalg.softmax dimension(1) ins(%scaled : tensor<?x?xf32>) outs(%scores_empty : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %result_empty = tensor.empty(%m) : tensor<?x20xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<?x20xf32>) -> tensor<?x20xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<?x?xf32>, tensor<?x20xf32>)
      outs(%result_zero : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %result : tensor<?x20xf32>
}

// Two results, one of them of rank 0, in other types.
func.func @extremes(%x: tensor<?x?xf64>, %shift: i32) -> (tensor<?xf64>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFFF0000000000000 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %rows_empty = tensor.empty(%m) : tensor<?xf64>
  %rows_low = linalg.fill ins(%low : f64) outs(%rows_empty : tensor<?xf64>) -> tensor<?xf64>
  %rows = linalg.reduce ins(%x : tensor<?x?xf64>) outs(%rows_low : tensor<?xf64>) dimensions = [1]
    (%in: f64, %out: f64) {
      %greater = arith.maximumf %in, %out : f64
      linalg.yield %greater : f64
    }
  %count_empty = tensor.empty() : tensor<i32>
  %count_start = linalg.fill ins(%shift : i32) outs(%count_empty : tensor<i32>) -> tensor<i32>
  %count = linalg.reduce ins(%rows : tensor<?xf64>) outs(%count_start : tensor<i32>) dimensions = [0]
    (%in: f64, %out: i32) {
      %half = arith.constant 0.5 : f64
      %above = arith.cmpf ogt, %in, %half : f64
      %one = arith.extui %above : i1 to i32
      %sum = arith.addi %out, %one : i32
      linalg.yield %sum : i32
    }
  return %rows, %count : tensor<?xf64>, tensor<i32>
}

// A row is put into a cache of the caller, and the cache is read with it.
func.func @append(%row: tensor<1x4xf32>, %cache: memref<?x4xf32>, %at: i32) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %position = arith.index_cast %at : i32 to index
  %before = bufferization.to_tensor %cache restrict writable : memref<?x4xf32> to tensor<?x4xf32>
  %after = tensor.insert_slice %row into %before[%position, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce ins(%after : tensor<?x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0] (%x: f32, %y: f32) {
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  bufferization.materialize_in_destination %after in restrict writable %cache : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
  return %sum : tensor<4xf32>
}
