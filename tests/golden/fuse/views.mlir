// What two kernels read in another shape is no result of the first one: each has a view of its own.
// RUN: tcc-attn explain %s --target=host:x86-64-v3 | FileCheck %s
// RUN: tcc-attn run %s --random --check

// CHECK: kernel 1: a product
// CHECK-NEXT: stores tensor<8x16x16xf32>
// CHECK-NOT: stores tensor<8x64x16xf32>
func.func @chunks(%k: tensor<512x16xf32>, %v: tensor<512x16xf32>) -> tensor<8x64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %keys = tensor.expand_shape %k [[0, 1], [2]] output_shape [8, 64, 16] : tensor<512x16xf32> into tensor<8x64x16xf32>
  %values = tensor.expand_shape %v [[0, 1], [2]] output_shape [8, 64, 16] : tensor<512x16xf32> into tensor<8x64x16xf32>
  %state_empty = tensor.empty() : tensor<8x16x16xf32>
  %state_zero = linalg.fill ins(%zero : f32) outs(%state_empty : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  %state = linalg.generic {indexing_maps = [affine_map<(n, d, e, c) -> (n, c, d)>, affine_map<(n, d, e, c) -> (n, c, e)>,
      affine_map<(n, d, e, c) -> (n, d, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%keys, %values : tensor<8x64x16xf32>, tensor<8x64x16xf32>) outs(%state_zero : tensor<8x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<8x16x16xf32>
  %last_empty = tensor.empty() : tensor<16x16xf32>
  %last_zero = linalg.fill ins(%zero : f32) outs(%last_empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %states:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%state : tensor<8x16x16xf32>)
      outs(%state_zero, %last_zero : tensor<8x16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x16x16xf32>, tensor<16x16xf32>
  %empty = tensor.empty() : tensor<8x64x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(n, c, e, d) -> (n, c, d)>, affine_map<(n, c, e, d) -> (n, d, e)>,
      affine_map<(n, c, e, d) -> (n, c, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%keys, %states#0 : tensor<8x64x16xf32>, tensor<8x16x16xf32>) outs(%start : tensor<8x64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %term = arith.mulf %a, %b : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<8x64x16xf32>
  return %result : tensor<8x64x16xf32>
}
