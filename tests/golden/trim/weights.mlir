// Loops that add up products with weights that a mask makes 0 leave out the tiles in which it hides all: zeros that are
// chosen by comparing indices, a truth as a factor, and what elementwise ops make of what is hidden, 0 again. Zeros that
// the scores themselves decide on are no mask.
// RUN: tcc-attn opt %s --passes=simplify,schedule,simplify,trim,simplify --target=host:znver4 | FileCheck %s
// RUN: tcc-attn run %s --func=chosen --random --check
// RUN: tcc-attn run %s --func=truth --random --check
// RUN: tcc-attn run %s --func=rectified --random --check
// RUN: tcc-attn run %s --func=sigmoid --random --check
// RUN: tcc-attn run %s --func=difference --random --check
// RUN: tcc-attn run %s --func=by_value --random --check
// RUN: tcc-attn run %s --func=rectified --random --check --device=ptx-emu

// CHECK-DAG: #[[$SEEN:.*]] = affine_map<(d0) -> (1100, d0 + 32)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0) -> (1100, d0 + 64)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0) -> (1100, d0 + 63)>


// CHECK-LABEL: func.func @chosen(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
func.func @chosen(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi uge, %i, %j : index
    %weight = arith.select %seen, %score, %zero : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
func.func @truth(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %factor = arith.uitofp %seen : i1 to f32
    %product = arith.mulf %score, %factor : f32
    %weight = arith.mulf %product, %product : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// CHECK-LABEL: func.func @rectified(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
func.func @rectified(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %shown = arith.select %seen, %score, %hidden : f32
    %positive = arith.cmpf ugt, %shown, %zero : f32
    %weight = arith.select %positive, %shown, %zero : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: %[[END:.*]] = affine.min #[[$SEEN]](
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
func.func @sigmoid(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %shown = arith.select %seen, %score, %hidden : f32
    %less = arith.negf %shown : f32
    %power = math.exp %less : f32
    %sum = arith.addf %one, %power : f32
    %weight = arith.divf %one, %sum : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// What either keeps.
// CHECK-LABEL: func.func @difference(
// CHECK-DAG: %[[FIRST:.*]] = affine.min #[[$FIRST]](
// CHECK-DAG: %[[SECOND:.*]] = affine.min #[[$SECOND]](
// CHECK: %[[END:.*]] = affine.max {{.*}}(%[[FIRST]], %[[SECOND]])
// CHECK: scf.for {{.*}} = %c0{{.*}} to %[[END]] step
func.func @difference(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %first = arith.select %seen, %score, %hidden : f32
    %near = affine.apply affine_map<(i) -> (i + 1)>(%j)
    %before = arith.cmpi sle, %near, %i : index
    %second = arith.select %before, %score, %hidden : f32
    %a = math.exp %first : f32
    %b = math.exp2 %second : f32
    %weight = arith.subf %a, %b : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// CHECK-LABEL: func.func @by_value(
// CHECK: scf.for {{.*}} = %c0{{.*}} to %c1100{{.*}} step
func.func @by_value(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %positive = arith.cmpf ugt, %score, %zero : f32
    %weight = arith.select %positive, %score, %zero : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}

// 0 over 0 is NaN.
// CHECK-LABEL: func.func @undivided(
// CHECK: scf.for {{.*}} = %c0{{.*}} to %c1100{{.*}} step
func.func @undivided(%x: tensor<1100x16xf32>, %y: tensor<16x1100xf32>, %z: tensor<1100x16xf32>) -> tensor<1100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scores_empty = tensor.empty() : tensor<1100x1100xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %products = linalg.matmul ins(%x, %y : tensor<1100x16xf32>, tensor<16x1100xf32>) outs(%scores_zero : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %weights = linalg.map ins(%products : tensor<1100x1100xf32>) outs(%scores_empty : tensor<1100x1100xf32>) (%score: f32, %out: f32) {
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %shown = arith.select %seen, %score, %hidden : f32
    %power = math.exp %shown : f32
    %weight = arith.divf %power, %power : f32
    linalg.yield %weight : f32
  }
  %empty = tensor.empty() : tensor<1100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  %result = linalg.matmul ins(%weights, %z : tensor<1100x1100xf32>, tensor<1100x16xf32>) outs(%start : tensor<1100x16xf32>) -> tensor<1100x16xf32>
  return %result : tensor<1100x16xf32>
}
