// Structured ops: named ones and generics, reductions, transposes, broadcasts, contractions; small integers, so that
// the sums are exact in any order.
#id2 = affine_map<(i, j) -> (i, j)>

func.func private @a() -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0, d1) -> ((d0 * 7 + d1 * 3) mod 11 - 5)>(%i, %j)
    %n = arith.index_cast %k : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

func.func private @cube() -> tensor<3x4x5xf64> {
  %e = tensor.empty() : tensor<3x4x5xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<3x4x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = linalg.index 2 : index
    %k = affine.apply affine_map<(d0, d1, d2) -> ((d0 * 5 + d1 * 3 + d2 * 8) mod 13 - 6)>(%i, %j, %l)
    %n = arith.index_cast %k : index to i64
    %f = arith.sitofp %n : i64 to f64
    linalg.yield %f : f64
  } -> tensor<3x4x5xf64>
  return %r : tensor<3x4x5xf64>
}

func.func @matmul_forms() -> (tensor<6x6xf32>, tensor<5x5xf32>) {
  %a = call @a() : () -> tensor<6x5xf32>
  %zero = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<5x6xf32>
  %t = linalg.transpose ins(%a : tensor<6x5xf32>) outs(%te : tensor<5x6xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<6x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>
  %r = linalg.matmul ins(%a, %t : tensor<6x5xf32>, tensor<5x6xf32>) outs(%i : tensor<6x6xf32>) -> tensor<6x6xf32>
  %e2 = tensor.empty() : tensor<5x5xf32>
  %one = arith.constant 1.0 : f32
  %i2 = linalg.fill ins(%one : f32) outs(%e2 : tensor<5x5xf32>) -> tensor<5x5xf32>
  %r2 = linalg.matmul ins(%t, %a : tensor<5x6xf32>, tensor<6x5xf32>) outs(%i2 : tensor<5x5xf32>) -> tensor<5x5xf32>
  return %r, %r2 : tensor<6x6xf32>, tensor<5x5xf32>
}

func.func @batched() -> tensor<3x4x4xf64> {
  %c = call @cube() : () -> tensor<3x4x5xf64>
  %zero = arith.constant 0.0 : f64
  %te = tensor.empty() : tensor<3x5x4xf64>
  %t = linalg.transpose ins(%c : tensor<3x4x5xf64>) outs(%te : tensor<3x5x4xf64>) permutation = [0, 2, 1]
  %e = tensor.empty() : tensor<3x4x4xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<3x4x4xf64>) -> tensor<3x4x4xf64>
  %r = linalg.batch_matmul ins(%c, %t : tensor<3x4x5xf64>, tensor<3x5x4xf64>) outs(%i : tensor<3x4x4xf64>)
      -> tensor<3x4x4xf64>
  return %r : tensor<3x4x4xf64>
}

func.func @contract() -> tensor<5x4xf64> {
  %c = call @cube() : () -> tensor<3x4x5xf64>
  %zero = arith.constant 2.0 : f64
  %e = tensor.empty() : tensor<5x4xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<5x4xf64>) -> tensor<5x4xf64>
  %r = linalg.contract
      indexing_maps = [affine_map<(b, m, k) -> (b, m, k)>, affine_map<(b, m, k) -> (b, m, k)>,
                       affine_map<(b, m, k) -> (k, m)>]
      ins(%c, %c : tensor<3x4x5xf64>, tensor<3x4x5xf64>) outs(%i : tensor<5x4xf64>) -> tensor<5x4xf64>
  return %r : tensor<5x4xf64>
}

func.func @reductions() -> (tensor<6xf32>, tensor<5xf32>, tensor<f64>) {
  %a = call @a() : () -> tensor<6x5xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%lowest : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %max = linalg.reduce ins(%a : tensor<6x5xf32>) outs(%i : tensor<6xf32>) dimensions = [1] (%x: f32, %y: f32) {
    %m = arith.maximumf %x, %y : f32
    linalg.yield %m : f32
  }
  %one = arith.constant 1.0 : f32
  %e2 = tensor.empty() : tensor<5xf32>
  %i2 = linalg.fill ins(%one : f32) outs(%e2 : tensor<5xf32>) -> tensor<5xf32>
  %product = linalg.reduce { arith.mulf } ins(%a : tensor<6x5xf32>) outs(%i2 : tensor<5xf32>) dimensions = [0]
  %c = call @cube() : () -> tensor<3x4x5xf64>
  %zero = arith.constant 0.0 : f64
  %e3 = tensor.empty() : tensor<f64>
  %i3 = linalg.fill ins(%zero : f64) outs(%e3 : tensor<f64>) -> tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%c : tensor<3x4x5xf64>) outs(%i3 : tensor<f64>) dimensions = [0, 1, 2]
  return %max, %product, %sum : tensor<6xf32>, tensor<5xf32>, tensor<f64>
}

func.func @shapes_and_maps() -> (tensor<6x3x5xf32>, tensor<6x5xf32>, tensor<6xf32>) {
  %a = call @a() : () -> tensor<6x5xf32>
  %e = tensor.empty() : tensor<6x3x5xf32>
  %b = linalg.broadcast ins(%a : tensor<6x5xf32>) outs(%e : tensor<6x3x5xf32>) dimensions = [1]
  %e2 = tensor.empty() : tensor<6x5xf32>
  %m = linalg.map ins(%a, %a : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e2 : tensor<6x5xf32>) (%x: f32, %y: f32, %o: f32) {
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  }
  %e3 = tensor.empty() : tensor<6xf32>
  %diagonal = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i floordiv 2)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<6x5xf32>) outs(%e3 : tensor<6xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<6xf32>
  return %b, %m, %diagonal : tensor<6x3x5xf32>, tensor<6x5xf32>, tensor<6xf32>
}

func.func @named_elementwise() -> tensor<6x5xf32> {
  %a = call @a() : () -> tensor<6x5xf32>
  %e = tensor.empty() : tensor<6x5xf32>
  %x = linalg.exp ins(%a : tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %y = linalg.add ins(%x, %a : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %z = linalg.sub ins(%y, %x : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %w = linalg.mul ins(%z, %y : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v = linalg.div ins(%w, %x : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %u = linalg.max ins(%v, %a : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %u : tensor<6x5xf32>
}

func.func @softmax() -> tensor<6x5xf32> {
  %a = call @a() : () -> tensor<6x5xf32>
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}
