// Slices, reshapes, padding and elements of tensors; loops and branches that carry them.
#id2 = affine_map<(i, j) -> (i, j)>

func.func private @a() -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)
    %n = arith.index_cast %k : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

func.func @slices() -> (tensor<3x2xf32>, tensor<4xf32>, tensor<6x8xf32>) {
  %a = call @a() : () -> tensor<6x8xf32>
  %s = tensor.extract_slice %a[1, 2] [3, 2] [2, 3] : tensor<6x8xf32> to tensor<3x2xf32>
  %c4 = arith.constant 4 : index
  %row = tensor.extract_slice %a[%c4, 1] [1, 4] [1, 2] : tensor<6x8xf32> to tensor<4xf32>
  %back = tensor.insert_slice %s into %a[0, 5] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x8xf32>
  return %s, %row, %back : tensor<3x2xf32>, tensor<4xf32>, tensor<6x8xf32>
}

func.func @reshapes() -> (tensor<2x3x8xf32>, tensor<48xf32>, tensor<6x2x4xf32>) {
  %a = call @a() : () -> tensor<6x8xf32>
  %x = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %y = tensor.collapse_shape %a [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  %z = tensor.expand_shape %a [[0], [1, 2]] output_shape [6, 2, 4] : tensor<6x8xf32> into tensor<6x2x4xf32>
  return %x, %y, %z : tensor<2x3x8xf32>, tensor<48xf32>, tensor<6x2x4xf32>
}

func.func @padding() -> tensor<9x11xf32> {
  %a = call @a() : () -> tensor<6x8xf32>
  %p = tensor.pad %a low[1, 0] high[2, 3] {
  ^bb0(%i: index, %j: index):
    %v = arith.constant -1.5 : f32
    tensor.yield %v : f32
  } : tensor<6x8xf32> to tensor<9x11xf32>
  return %p : tensor<9x11xf32>
}

func.func @elements() -> (f32, index, i64) {
  %a = call @a() : () -> tensor<6x8xf32>
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %x = tensor.extract %a[%c5, %c1] : tensor<6x8xf32>
  %w = tensor.cast %a : tensor<6x8xf32> to tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %w, %c0 : tensor<?x8xf32>
  %n = arith.index_cast %d : index to i64
  return %x, %d, %n : f32, index, i64
}

func.func @loops() -> (tensor<6x8xf32>, f32, i64) {
  %a = call @a() : () -> tensor<6x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:3 = scf.for %i = %c0 to %c6 step %c4 iter_args(%t = %a, %s = %zero, %n = %n0) -> (tensor<6x8xf32>, f32, i64) {
    %x = tensor.extract %t[%i, %c4] : tensor<6x8xf32>
    %sum = arith.addf %s, %x : f32
    %row = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
    %v = linalg.fill ins(%sum : f32) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32>
    %u = tensor.insert_slice %v into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    %m = arith.addi %n, %one : i64
    scf.yield %u, %sum, %m : tensor<6x8xf32>, f32, i64
  }
  return %r#0, %r#1, %r#2 : tensor<6x8xf32>, f32, i64
}

func.func @branches() -> (f32, f32) {
  %a = call @a() : () -> tensor<6x8xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tensor.extract %a[%c1, %c2] : tensor<6x8xf32>
  %bound = arith.constant 9.5 : f32
  %more = arith.cmpf ogt, %x, %bound : f32
  %less = arith.cmpf olt, %x, %bound : f32
  %y = scf.if %more -> (f32) {
    %s = arith.addf %x, %bound : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  %z = scf.if %less -> (f32) {
    %s = arith.addf %x, %bound : f32
    scf.yield %s : f32
  } else {
    scf.yield %bound : f32
  }
  return %y, %z : f32, f32
}

func.func @parallel_tiles() -> tensor<6x8xf32> {
  %a = call @a() : () -> tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (6, 8) step (3, 4) shared_outs(%o = %e) -> (tensor<6x8xf32>) {
    %s = tensor.extract_slice %a[%i, %j] [3, 4] [1, 1] : tensor<6x8xf32> to tensor<3x4xf32>
    %d = tensor.extract_slice %o[%i, %j] [3, 4] [1, 1] : tensor<6x8xf32> to tensor<3x4xf32>
    %t = linalg.mul ins(%s, %s : tensor<3x4xf32>, tensor<3x4xf32>) outs(%d : tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, %j] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<6x8xf32>
    }
  }
  return %r : tensor<6x8xf32>
}
