// Sizes and positions that are quotients, rounded towards 0, and what these leave, as PyTorch's views are exported.
// RUN: sh -c 'for device in host ptx-emu; do for n in 0 2 10; do tcc-attn run %s --func=pairs --random --dims=$n --check --verify --device=$device || exit 1; done; done'
// RUN: not tcc-attn run %s --func=pairs --random --dims=3 --device=ptx-emu 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tcc-attn run %s --func=numbers --out=%t.x.npy,%t.at.npy,%t.outside.npy,%t.row.npy
// RUN: tcc-attn run %s --func=element --in=%t.x.npy,%t.at.npy --out=%t.npy --device=ptx-emu && cmp %t.npy %t.row.npy
// RUN: tcc-attn run %s --func=element --in=%t.x.npy,%t.at.npy --out=%t.npy && cmp %t.npy %t.row.npy
// RUN: not tcc-attn run %s --func=element --in=%t.x.npy,%t.outside.npy --device=ptx-emu 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// ODD: error: the shapes of the arguments of 'pairs' do not fit together
// OUTSIDE: error: the shapes of the arguments of 'element' do not fit together

func.func @pairs(%x: tensor<?x8xf32>) -> tensor<?x2x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %half = arith.divsi %n, %c2 : index
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [%half, 2, 8] : tensor<?x8xf32> into tensor<?x2x8xf32>
  %r = math.exp %e : tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

func.func @numbers() -> (tensor<2x3xf32>, tensor<index>, tensor<index>, tensor<1x1xf32>) {
  %x = arith.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %at = arith.constant dense<5> : tensor<index>
  %outside = arith.constant dense<-1> : tensor<index>
  %row = arith.constant dense<25.0> : tensor<1x1xf32>
  return %x, %at, %outside, %row : tensor<2x3xf32>, tensor<index>, tensor<index>, tensor<1x1xf32>
}

func.func @element(%x: tensor<2x3xf32>, %at: index) -> tensor<1x1xf32> {
  %c3 = arith.constant 3 : index
  %i = arith.divsi %at, %c3 : index
  %j = arith.remsi %at, %c3 : index
  %s = tensor.extract_slice %x[%i, %j] [1, 1] [1, 1] : tensor<2x3xf32> to tensor<1x1xf32>
  %r = arith.mulf %s, %s : tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
