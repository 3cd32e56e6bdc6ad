// What is read at places that a program computes is made there, of what its source is made of, where that is less work
// than to make all of it; a position that is read of a row of positions is the place itself.
// RUN: tcc-attn opt %s --passes=simplify,absorb-gathers,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=one_of_each_row --random --check
// RUN: tcc-attn run %s --func=position --random --check
// RUN: tcc-attn run %s --func=more_often --random --check
// RUN: tcc-attn run %s --func=place_beyond --random --check

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>
#one = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @one_of_each_row(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<20xf32>)
// CHECK-DAG: tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<20x300xf32>
// CHECK-DAG: tensor.extract %arg1[%{{.*}}, %{{.*}}] : tensor<20x1xf32>
// CHECK: arith.subf
// CHECK-NOT: tensor<20x300xf32>
// CHECK: return
func.func @one_of_each_row(%x: tensor<20x300xf32>, %sum: tensor<20x1xf32>, %at: tensor<20xi64>) -> tensor<20xf32> {
  %e = tensor.empty() : tensor<20x300xf32>
  %all = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<20x300xf32>, tensor<20x1xf32>) outs(%e : tensor<20x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20x300xf32>
  %r = tensor.empty() : tensor<20xf32>
  %some = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%at : tensor<20xi64>) outs(%r : tensor<20xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %a : i64 to index
    %0 = tensor.extract %all[%i, %k] : tensor<20x300xf32>
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  return %some : tensor<20xf32>
}

// CHECK-LABEL: func.func @position(
// CHECK-NOT: tensor.extract
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: arith.index_cast %[[I]] : index to i64
// CHECK-NOT: arith.select
// CHECK: return
func.func @position() -> tensor<40xi64> {
  %e = tensor.empty() : tensor<40xi64>
  %n = arith.constant 40 : i64
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %places = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e : tensor<40xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i64
    linalg.yield %0 : i64
  } -> tensor<40xi64>
  %row = tensor.expand_shape %places [[0, 1]] output_shape [1, 40] : tensor<40xi64> into tensor<1x40xi64>
  %r = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e : tensor<40xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i64
    %negative = arith.cmpi slt, %a, %zero : i64
    %wrapped = arith.addi %a, %n : i64
    %b = arith.select %negative, %wrapped, %a : i64
    %k = arith.index_cast %b : i64 to index
    %0 = tensor.extract %row[%c0, %k] : tensor<1x40xi64>
    linalg.yield %0 : i64
  } -> tensor<40xi64>
  return %r : tensor<40xi64>
}

// A place from memory may be beyond: that of the last is read then.
// CHECK-LABEL: func.func @place_beyond(
// CHECK-NOT: tensor.extract
// CHECK: affine.min
// CHECK: affine.max
// CHECK: return
func.func @place_beyond(%at: tensor<40xi64>) -> tensor<40xi64> {
  %e = tensor.empty() : tensor<40xi64>
  %places = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e : tensor<40xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i64
    linalg.yield %0 : i64
  } -> tensor<40xi64>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%at : tensor<40xi64>) outs(%e : tensor<40xi64>) {
  ^bb0(%a: i64, %o: i64):
    %k = arith.index_cast %a : i64 to index
    %0 = tensor.extract %places[%k] : tensor<40xi64>
    linalg.yield %0 : i64
  } -> tensor<40xi64>
  return %r : tensor<40xi64>
}

// CHECK-LABEL: func.func @more_often(
// CHECK: math.exp
// CHECK: tensor.extract %{{[0-9]+}}[
// CHECK: return
func.func @more_often(%x: tensor<8xf32>, %at: tensor<40xi64>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %all = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r = tensor.empty() : tensor<40xf32>
  %some = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%at : tensor<40xi64>) outs(%r : tensor<40xf32>) {
  ^bb0(%a: i64, %o: f32):
    %k = arith.index_cast %a : i64 to index
    %0 = tensor.extract %all[%k] : tensor<8xf32>
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  return %some : tensor<40xf32>
}
