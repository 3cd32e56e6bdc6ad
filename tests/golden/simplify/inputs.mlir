// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// An input that the body does not read goes, and with it what computed it; unless a loop has its extent from there only.

// CHECK-LABEL: func.func @unread
// CHECK-NOT: linalg.exp
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<?x8xf32>) outs(%arg2 : tensor<?x8xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
func.func @unread(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = linalg.exp ins(%a : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %unused = arith.addf %x, %y : f32
    %n = arith.negf %y : f32
    linalg.yield %n : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @only_its_extent
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4xf32>)
func.func @only_its_extent(%a: tensor<4x?xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x?xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %s = arith.addf %sum, %one : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
