// Steps of a product by a constant are all alike, so that it can have its panels before the program runs; few rows take
// all terms in one step.
// RUN: awk '/^{-#/ { d = "0000803f000000400000404000008040"; while (length(d) < 8 * 32 * 5120) d = d d; \
// RUN:   sub("DATA", substr(d, 1, 8 * 32 * 5120)) } { print }' %s > %t
// RUN: tcc-attn opt %t --target=host:znver4 --passes=schedule | FileCheck %s
// RUN: sed 's/16x/4x/g' %t | tcc-attn opt - --target=host:znver4 --passes=schedule | FileCheck %s --check-prefix=FEW
// RUN: tcc-attn run %t --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: sed 's/16x/4x/g' %t | tcc-attn run - --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
#x = affine_map<(r, c, k) -> (r, k)>
#w = affine_map<(r, c, k) -> (c, k)>
#y = affine_map<(r, c, k) -> (r, c)>

// RESULT: {{: good$}}
// CHECK: scf.for {{.*}} = %c0{{[_0-9]*}} to %c5120{{[_0-9]*}} step %c1280{{[_0-9]*}} 
// CHECK-NOT: scf.for %
// CHECK: return
// FEW-NOT: scf.for %
// FEW: return
func.func @product(%a: tensor<16x5120xf32>) -> tensor<16x32xf32> {
  %w = arith.constant dense_resource<weights> : tensor<32x5120xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%a, %w : tensor<16x5120xf32>, tensor<32x5120xf32>)
      outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

{-# dialect_resources: {builtin: {weights: "0x04000000DATA"}} #-}
