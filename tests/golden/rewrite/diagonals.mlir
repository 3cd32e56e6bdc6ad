// Constants that are the same along diagonals become comparisons of indices where elementwise ops read them, also a part of
// them, of which the lengths and the place are known when the program runs. What only looks like it stays a constant.
// RUN: tcc-attn opt %s --passes=simplify,merge-elementwise,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\)(.*/\1/p" %s); do for d in 1 3 4; do tcc-attn run %s --func=$f --random --check --dims=$d || exit 1; done; done'

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1) -> (d0 - d1)>
// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0 - d1 - d2)>

// CHECK-LABEL: func.func @triangle(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x4xf32>)
// CHECK-DAG: %[[ROW:.*]] = linalg.index 0
// CHECK-DAG: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[DIAGONAL:.*]] = affine.apply #[[LEFT]](%[[COLUMN]], %[[ROW]])
// CHECK: %[[SEEN:.*]] = arith.cmpi slt, %[[DIAGONAL]], %c1
// CHECK: arith.select %[[SEEN]], %in, %{{.*}} : f32
func.func @triangle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %mask = arith.constant dense<[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]> : tensor<4x4xi8>
  %nothing = arith.constant 0 : i8
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : tensor<4x4xf32>, tensor<4x4xi8>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %m: i8, %o: f32):
    %seen = arith.cmpi ne, %m, %nothing : i8
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Read transposed, by a comparison of floats that asks for the other half.
// CHECK-LABEL: func.func @upper(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x4xf32>)
// CHECK: %[[SEEN:.*]] = arith.cmpi sge, %{{.*}}, %c1
// CHECK: arith.select %[[SEEN]], %{{.*}}, %in : f32
func.func @upper(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %mask = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %unseen = arith.cmpf oeq, %m, %zero : f32
    %y = arith.select %unseen, %hidden, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// The part for the last rows: the diagonal is as far to the right as the part begins further down.
// CHECK-LABEL: func.func @part(
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?x4xf32>)
// CHECK: affine.apply #[[PART]]
// CHECK: arith.cmpi slt, %{{.*}}, %c1
// CHECK: arith.select
func.func @part(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %mask = arith.constant dense<[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]> : tensor<4x4xi8>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %nothing = arith.constant 0 : i8
  %hidden = arith.constant -1.0e4 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4xf32>
  %first = arith.subi %c4, %rows : index
  %eb = tensor.empty() : tensor<4x4xi1>
  %truth = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%mask : tensor<4x4xi8>) outs(%eb : tensor<4x4xi1>) {
  ^bb0(%m: i8, %o: i1):
    %seen = arith.cmpi ne, %m, %nothing : i8
    linalg.yield %seen : i1
  } -> tensor<4x4xi1>
  %part = tensor.extract_slice %truth[%first, 0] [%rows, 4] [1, 1] : tensor<4x4xi1> to tensor<?x4xi1>
  %e = tensor.empty(%rows) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %part : tensor<?x4xf32>, tensor<?x4xi1>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %seen: i1, %o: f32):
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Two changes from corner to corner: both sides of a band are hidden.
// CHECK-LABEL: func.func @band(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x5xf32>)
// CHECK-DAG: %[[BELOW:.*]] = arith.cmpi sge, %{{.*}}, %c-1
// CHECK-DAG: %[[ABOVE:.*]] = arith.cmpi slt, %{{.*}}, %c2
// CHECK: %[[SEEN:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: arith.select %[[SEEN]], %in,
func.func @band(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %mask = arith.constant dense<[[true, true, false, false, false], [true, true, true, false, false], [false, true, true, true, false], [false, false, true, true, true]]> : tensor<4x5xi1>
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : tensor<4x5xf32>, tensor<4x5xi1>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %seen: i1, %o: f32):
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// A constant that is the same everywhere is one number.
// CHECK-LABEL: func.func @uniform(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK: arith.addf %in, %{{.*}} : f32
func.func @uniform(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %two : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// One element of the triangle differs.
// CHECK-LABEL: func.func @torn(
// CHECK: linalg.generic {{.*}} ins(%arg0, %cst{{.*}} : tensor<4x4xf32>, tensor<4x4xi1>)
func.func @torn(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %mask = arith.constant dense<[[true, false, false, false], [true, true, false, false], [true, false, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : tensor<4x4xf32>, tensor<4x4xi1>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %seen: i1, %o: f32):
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// The same along diagonals, but it changes three times.
// CHECK-LABEL: func.func @stripes(
// CHECK: linalg.generic {{.*}} ins(%arg0, %cst{{.*}} : tensor<3x2xf32>, tensor<3x2xi1>)
func.func @stripes(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %mask = arith.constant dense<[[true, false], [false, true], [true, false]]> : tensor<3x2xi1>
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : tensor<3x2xf32>, tensor<3x2xi1>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %seen: i1, %o: f32):
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Every other row of a triangle is none.
// CHECK-LABEL: func.func @every_other(
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<2x4xf32>, tensor<2x4xi1>)
func.func @every_other(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %mask = arith.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %part = tensor.extract_slice %mask[0, 0] [2, 4] [2, 1] : tensor<4x4xi1> to tensor<2x4xi1>
  %hidden = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %part : tensor<2x4xf32>, tensor<2x4xi1>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%a: f32, %seen: i1, %o: f32):
    %y = arith.select %seen, %a, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// A part of what is computed from elements: only the part is computed. Not where all of it is needed, too.
// CHECK-LABEL: func.func @part_of_sum(
// CHECK: %[[ONE:.*]] = tensor.extract_slice %arg0[1, 0] [2, 4] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%arg1, %[[ONE]] :
// CHECK-NOT: linalg.generic
func.func @part_of_sum(%x: tensor<4x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %ep = tensor.empty() : tensor<2x4xf32>
  %s = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %part = tensor.extract_slice %s[1, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %r = linalg.add ins(%part, %y : tensor<2x4xf32>, tensor<2x4xf32>) outs(%ep : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @part_and_all(
// CHECK: linalg.exp
// CHECK: tensor.extract_slice
// CHECK: linalg.add
func.func @part_and_all(%x: tensor<4x4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %ep = tensor.empty() : tensor<2x4xf32>
  %s = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %part = tensor.extract_slice %s[1, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %r = linalg.add ins(%part, %y : tensor<2x4xf32>, tensor<2x4xf32>) outs(%ep : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r, %s : tensor<2x4xf32>, tensor<4x4xf32>
}
