// Ranges of subscripts count on no sum or product of 64 bits that can wrap around, and bits that say a negative number
// are a large one to what takes them for a natural one.
// RUN: tcc-attn run %s --func=numbers --out=%t.numbers.npy,%t.row.npy
// RUN: tcc-attn run %s --func=wrapped --in=%t.numbers.npy,%t.row.npy --device=ptx-emu --target=nvptx:sm_80 --out=%t.npy
// RUN: tcc-attn opt %s --passes=simplify,shapes,simplify --verify | FileCheck %s
// RUN: tcc-attn run %s --func=natural --random --check
// RUN: tcc-attn run %s --func=natural --random --check --device=ptx-emu --target=nvptx:sm_80

#id = affine_map<(d0) -> (d0)>
func.func @numbers() -> (tensor<4xi64>, tensor<8xf32>) {
  %numbers = arith.constant dense<[-9223372036854775808, -9223372036854775807, 7, -6917529027641081856]> : tensor<4xi64>
  %row = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  return %numbers, %row : tensor<4xi64>, tensor<8xf32>
}

// min(x, 5) - 3 is not always at most 2, nor min(x, 5) * 4 at most 20.
// CHECK-LABEL: func.func @wrapped(
// CHECK: %[[SUM:.*]] = arith.minsi %{{.*}}, %c7 : index
// CHECK: tensor.extract %arg1[%[[SUM]]]
// CHECK: %[[PRODUCT:.*]] = arith.minsi %{{.*}}, %c7 : index
// CHECK: tensor.extract %arg1[%[[PRODUCT]]]
func.func @wrapped(%numbers: tensor<4xi64>, %row: tensor<8xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%numbers : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: i64, %out: f32):
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c5 = arith.constant 5 : i64
    %few = arith.minsi %x, %c5 : i64
    %less = arith.subi %few, %c3 : i64
    %natural = arith.maxsi %less, %c0 : i64
    %i = arith.index_cast %natural : i64 to index
    %a = tensor.extract %row[%i] : tensor<8xf32>
    %one = arith.minsi %x, %c1 : i64
    %more = arith.muli %one, %c4 : i64
    %also = arith.maxsi %more, %c0 : i64
    %j = arith.index_cast %also : i64 to index
    %b = tensor.extract %row[%j] : tensor<8xf32>
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The quotients are far above 17, and the subscript is the last.
func.func @natural(%row: tensor<8xf32>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xi64>
  %ef = tensor.empty() : tensor<4xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      outs(%e, %e, %ef : tensor<4xi64>, tensor<4xi64>, tensor<4xf32>) {
  ^bb0(%out0: i64, %out1: i64, %out2: f32):
    %least = arith.constant -1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c17 = arith.constant 17 : index
    %i = linalg.index 0 : index
    %negative = arith.subi %least, %i : index
    %shifted = arith.shrui %negative, %c17 : index
    %first = arith.minsi %shifted, %c17 : index
    %half = arith.divui %negative, %c2 : index
    %second = arith.minsi %half, %c17 : index
    %at = arith.minsi %half, %c7 : index
    %x = tensor.extract %row[%at] : tensor<8xf32>
    %a = arith.index_cast %first : index to i64
    %b = arith.index_cast %second : index to i64
    linalg.yield %a, %b, %x : i64, i64, f32
  } -> (tensor<4xi64>, tensor<4xi64>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xi64>, tensor<4xi64>, tensor<4xf32>
}
