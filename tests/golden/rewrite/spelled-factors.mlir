// The factor of the keys goes to the queries where what follows is raised to a softmax, and what is no factor stays.
// RUN: tcc-attn opt %s --passes=simplify,absorb-moves,simplify,raise,simplify,move-factors,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'

#id3 = affine_map<(a, b, c) -> (a, b, c)>
#row3 = affine_map<(a, b, c) -> (a, b)>

// CHECK-LABEL: func.func @scaled_by_constant(
// CHECK: ins(%{{[0-9]+}}, %arg1 :
func.func @scaled_by_constant(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %half : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @scaled_by_argument(
// CHECK: ins(%{{[0-9]+}}, %arg1 :
func.func @scaled_by_argument(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %c: f32) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %c, %a : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @divided_by_argument(
// CHECK: ins(%{{[0-9]+}}, %arg1 :
func.func @divided_by_argument(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %c: f32) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @shifted(
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @shifted(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %a, %half : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @divided_into_argument(
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @divided_into_argument(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %c: f32) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %c, %a : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @squared(
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @squared(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %ze = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %x = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<3x5x7xf32>) outs(%z : tensor<3x5xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %l : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @scaled_without_softmax(
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @scaled_without_softmax(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>) -> tensor<3x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ek = tensor.empty() : tensor<3x7x4xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<3x7x4xf32>) outs(%ek : tensor<3x7x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %half : f32
    linalg.yield %m : f32
  } -> tensor<3x7x4xf32>
  %et = tensor.empty() : tensor<3x4x7xf32>
  %t = linalg.transpose ins(%g : tensor<3x7x4xf32>) outs(%et : tensor<3x4x7xf32>) permutation = [0, 2, 1]
  %se = tensor.empty() : tensor<3x5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%se : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%q, %t : tensor<3x5x4xf32>, tensor<3x4x7xf32>)
      outs(%s : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %e = tensor.empty() : tensor<3x5x7xf32>
  %r = linalg.exp ins(%p : tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}
