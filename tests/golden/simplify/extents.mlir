// What exporters compute of extents, to cut a slice or to count from the end, is known by what extents are: not negative.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --func=all_but_the_last --random --check --dims=5
// RUN: tcc-attn run %s --func=all_but_the_last --random --check --dims=1

// One more, of which the last is left out again: all. The smaller of it and 0 is 0, also as another integer.
// CHECK-LABEL: func.func @clamped(
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK-NEXT: return %[[N]], %c0_i64, %[[N]] : index, i64, index
func.func @clamped(%x: tensor<?xf32>) -> (index, i64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : index
  %c0_i64 = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %more = arith.addi %n, %c1 : index
  %wide = arith.index_cast %more : index to i64
  %start = arith.minsi %wide, %c0_i64 : i64
  %last = arith.addi %more, %minus : index
  %end = arith.minsi %last, %more : index
  %least = arith.maxsi %end, %c0 : index
  return %end, %start, %least : index, i64, index
}

// One less may be less than 0, and which of two extents is smaller is not known.
// CHECK-LABEL: func.func @unknown(
// CHECK: %[[LESS:.*]] = affine.apply
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LESS]], %c0
// CHECK: %[[MIN:.*]] = arith.minsi
// CHECK: return %[[MOST]], %[[MIN]]
func.func @unknown(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %minus = arith.constant -1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %less = arith.addi %n, %minus : index
  %most = arith.maxsi %less, %c0 : index
  %min = arith.minsi %n, %m : index
  return %most, %min : index, index
}

// A slice like x[:-1] of a tensor with one element more.
// CHECK-LABEL: func.func @all_but_the_last(
// CHECK-NOT: arith.minsi
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @all_but_the_last(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %more = arith.addi %n, %c1 : index
  %e = tensor.empty(%more) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %joined = tensor.insert_slice %x into %f[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %last = arith.addi %more, %minus : index
  %negative = arith.cmpi slt, %last, %c0 : index
  %end = arith.select %negative, %minus, %last : index
  %size = arith.minsi %end, %more : index
  %part = tensor.extract_slice %joined[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}

// Comparisons of a number that is one of two known ones ask which of them it is; truths are no numbers to choose from.
// CHECK-LABEL: func.func @choices(
// CHECK-DAG: %[[NOT:.*]] = arith.cmpi sge, %arg0, %arg1
// CHECK-DAG: %[[LESS:.*]] = arith.cmpi slt, %arg0, %arg1
// CHECK: %[[AND:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: return %[[LESS]], %[[NOT]], %[[AND]], %true
func.func @choices(%a: index, %b: index, %x: f32) -> (i1, i1, i1, i1) {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %true = arith.constant true
  %less = arith.cmpi slt, %a, %b : index
  %byte = arith.select %less, %c1, %c0 : i8
  %is = arith.cmpi ne, %byte, %c0 : i8
  %not = arith.xori %is, %true : i1
  %mixed = arith.select %less, %zero, %x : f32
  %positive = arith.cmpf ogt, %mixed, %zero : f32
  %either = arith.select %less, %one, %zero : f32
  %both = arith.cmpf oge, %either, %zero : f32
  return %is, %not, %positive, %both : i1, i1, i1, i1
}
