// RUN: tcc-attn opt %s --target=host:znver4 --passes=schedule,simplify | FileCheck %s
// RUN: tcc-attn run %s --func=turned --random --check
// RUN: tcc-attn run %s --func=nothing --random --check

// Tiles of what turns an input have long parts of rows of both, not whole rows of the result and a few elements of each
// row of the input. An input without elements is no problem.
// CHECK-LABEL: func.func @turned(
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (1032, 4112) step (128, {{[0-9]+}})
func.func @turned(%x: tensor<4112x1032xf32>, %y: tensor<1032x4112xf32>) -> tensor<1032x4112xf32> {
  %e = tensor.empty() : tensor<1032x4112xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4112x1032xf32>, tensor<1032x4112xf32>) outs(%e : tensor<1032x4112xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %a = arith.addf %i, %j : f32
    linalg.yield %a : f32
  } -> tensor<1032x4112xf32>
  return %r : tensor<1032x4112xf32>
}
// CHECK-LABEL: func.func @nothing(
func.func @nothing(%x: tensor<512x0xf32>) -> tensor<0x512xf32> {
  %e = tensor.empty() : tensor<0x512xf32>
  %r = linalg.transpose ins(%x : tensor<512x0xf32>) outs(%e : tensor<0x512xf32>) permutation = [1, 0]
  return %r : tensor<0x512xf32>
}
