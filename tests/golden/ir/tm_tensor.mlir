// The ops of torch-mlir's own dialect.
func.func @rows(%cache: tensor<64x4x8xf32>, %places: tensor<3x1xi64>, %rows: tensor<3x1x4x8xf32>) -> tensor<64x4x8xf32> {
  %result = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%rows, %places : tensor<3x1x4x8xf32>, tensor<3x1xi64>) outs(%cache : tensor<64x4x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<64x4x8xf32>
  return %result : tensor<64x4x8xf32>
}

func.func @sums(%x: tensor<2x16xi64>, %out: tensor<2x16xi64>, %zero: tensor<2xi64>) -> (tensor<2x16xi64>, tensor<2xi64>) {
  %sums:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x16xi64>) outs(%out, %zero : tensor<2x16xi64>, tensor<2xi64>) {
  ^bb0(%before: i64, %next: i64):
    %sum = arith.addi %before, %next : i64
    tm_tensor.yield %sum : i64
  } -> tensor<2x16xi64>, tensor<2xi64>
  return %sums#0, %sums#1 : tensor<2x16xi64>, tensor<2xi64>
}

func.func @largest(%x: tensor<2x16xf32>, %places: tensor<2x16xi64>) -> (tensor<2x16xf32>, tensor<2x16xi64>) {
  %sorted:2 = tm_tensor.sort dimension(1) outs(%x, %places : tensor<2x16xf32>, tensor<2x16xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<2x16xf32>, tensor<2x16xi64>
  return %sorted#0, %sorted#1 : tensor<2x16xf32>, tensor<2x16xi64>
}
