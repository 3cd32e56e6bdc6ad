// An extent that the types leave open but another operand makes known: what the schedule makes of the op knows it, and
// the op's users keep the type that they have.
// RUN: tcc-attn opt %s --passes=schedule | FileCheck %s
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify --fuse=off
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=summed_in_f32 --random --dims=1,9 --check --verify
// RUN: tcc-attn run %s --func=summed_in_f32 --random --dims=1,9 --check --verify --device=ptx-emu

// CHECK: %[[WHOLE:.*]] = scf.forall {{.*}} -> (tensor<3x7xf32>)
// CHECK: %[[OPEN:.*]] = tensor.cast %[[WHOLE]] : tensor<3x7xf32> to tensor<3x?xf32>
// CHECK: return %[[OPEN]] : tensor<3x?xf32>
func.func @diagonal(%x: tensor<7x?xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<7x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, c) -> (c, c)>, affine_map<(a, c) -> (a, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x?xf32>) outs(%e : tensor<3x?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %y = arith.addf %p, %p : f32
    linalg.yield %y : f32
  } -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

// The same where a product is replaced by one that adds up in f32, and its result rounded.
// CHECK-LABEL: func.func @summed_in_f32(
func.func @summed_in_f32(%a: tensor<?x8xf16>, %b: tensor<8x?xf16>) -> tensor<?x?xf16> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %n = tensor.dim %b, %c1 : tensor<8x?xf16>
  %e = tensor.empty(%c1, %n) : tensor<?x?xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x?xf16>) outs(%f : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}
