// An elementwise op becomes part of the one that reads it; where several read it, or its result is needed, it stays.
// RUN: tcc-attn opt %s --passes=merge-elementwise,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'

#id3 = affine_map<(a, b, c) -> (a, b, c)>
#row3 = affine_map<(a, b, c) -> (a, b)>
#last3 = affine_map<(a, b, c) -> (c)>
#id1 = affine_map<(a) -> (a)>

// CHECK-LABEL: func.func @chain(
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg0 : tensor<16xf32>, tensor<8x16xf32>)
// CHECK: %[[SCALED:.*]] = arith.mulf %in_0,
// CHECK-NEXT: arith.addf %[[SCALED]], %in
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %half : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.addf %a, %c : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @returned(
// CHECK-COUNT-2: linalg.generic
func.func @returned(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %half : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.addf %a, %c : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  return %r, %s : tensor<8x16xf32>, tensor<8x16xf32>
}

// A chain.
// CHECK-LABEL: func.func @chain_of_three(
// CHECK: = linalg.generic
// CHECK-NOT: = linalg.generic
func.func @chain_of_three(%x: tensor<3x5x7xf32>, %r: tensor<3x5xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %u = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  %v = linalg.exp ins(%u : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %w = linalg.mul ins(%v, %x : tensor<3x5x7xf32>, tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %w : tensor<3x5x7xf32>
}

// Exponentials of a row are not computed for each of its elements.
// CHECK-LABEL: func.func @exponentials_of_rows(
// CHECK: = linalg.exp
// CHECK-NOT: = linalg.exp
func.func @exponentials_of_rows(%x: tensor<3x5x7xf32>, %r: tensor<3x5xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %er = tensor.empty() : tensor<3x5xf32>
  %u = linalg.exp ins(%r : tensor<3x5xf32>) outs(%er : tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %u : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %v : tensor<3x5x7xf32>
}

// Positions are made where they are read, twice.
// CHECK-LABEL: func.func @positions_read_twice(
// CHECK-COUNT-2: = linalg.generic
// CHECK-NOT: = linalg.generic
func.func @positions_read_twice(%x: tensor<3x5x7xf32>) -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>) {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %e1 = tensor.empty() : tensor<7xf32>
  %i = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%e1 : tensor<7xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %j = arith.index_cast %n : index to i32
    %g = arith.sitofp %j : i32 to f32
    linalg.yield %g : f32
  } -> tensor<7xf32>
  %u = linalg.generic {indexing_maps = [#id3, #last3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %i : tensor<3x5x7xf32>, tensor<7xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  %v = linalg.generic {indexing_maps = [#id3, #last3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %i : tensor<3x5x7xf32>, tensor<7xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %u, %v : tensor<3x5x7xf32>, tensor<3x5x7xf32>
}

// What two ops read is computed once.
// CHECK-LABEL: func.func @read_by_two(
// CHECK: = linalg.exp
// CHECK-NOT: = linalg.exp
func.func @read_by_two(%x: tensor<3x5x7xf32>) -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>) {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %u = linalg.exp ins(%x : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %v = linalg.negf ins(%u : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %w = linalg.mul ins(%u, %x : tensor<3x5x7xf32>, tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %v, %w : tensor<3x5x7xf32>, tensor<3x5x7xf32>
}

// That holds for what is cheap, too.
// CHECK-LABEL: func.func @cheap_and_read_by_two(
// CHECK: = linalg.negf
// CHECK-NOT: = linalg.negf
func.func @cheap_and_read_by_two(%x: tensor<3x5x7xf32>) -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>) {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %u = linalg.negf ins(%x : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %v = linalg.exp ins(%u : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %w = linalg.mul ins(%u, %x : tensor<3x5x7xf32>, tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %v, %w : tensor<3x5x7xf32>, tensor<3x5x7xf32>
}

// An op that updates its output is no producer.
// CHECK-LABEL: func.func @updates_its_output(
// CHECK: = linalg.generic
// CHECK-NOT: = linalg.generic
func.func @updates_its_output(%x: tensor<3x5x7xf32>, %y: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %u = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<3x5x7xf32>) outs(%y : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.addf %a, %o : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  %v = linalg.exp ins(%u : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %v : tensor<3x5x7xf32>
}
