// What maps compute from loops over open extents must lie within the tensor: each call is looked at.
// RUN: tcc-attn run %s --func=window --random --dims=9,3,7 --check | FileCheck %s
// RUN: tcc-attn run %s --func=steps --random --dims=7,4 --check | FileCheck %s
// RUN: tcc-attn run %s --func=remainder --random --dims=3,10 --check 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --func=remainder --random --dims=2,2 --check 2>&1 | FileCheck %s
// RUN: not tcc-attn run %s --func=window --random --dims=8,3,7 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=steps --random --dims=6,4 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=remainder --random --dims=2,10 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=before --random --dims=10,10 2>&1 | FileCheck %s --check-prefix=UNFIT
// CHECK: good
// UNFIT: error: the shapes of the arguments of '{{.*}}' do not fit together
func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @steps(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @remainder(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @before(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i - 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
