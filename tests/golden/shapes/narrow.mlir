// Positions of 32 bits, and what is computed of them before kernels are launched, wrap around as such numbers do.
// RUN: tcc-attn run %s --func=numbers --out=%t.rows.npy,%t.row.npy,%t.m1.npy,%t.0.npy,%t.3.npy,%t.4.npy,%t.most.npy,%t.least.npy
// RUN: sed '/^func.func @numbers/,/^}/d' %s > %t.mlir
// RUN: sh -c 'for d in host ptx-emu; do for s in 0 4; do tcc-attn run %t.mlir --func=put --in=%t.rows.npy,%t.row.npy,%t.$s.npy --device=$d --check || exit 1; done; done'
// RUN: not sh -c 'for d in host ptx-emu; do for s in m1 most; do tcc-attn run %t.mlir --func=put --in=%t.rows.npy,%t.row.npy,%t.$s.npy --device=$d && exit; done; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in host ptx-emu; do for s in m1 0 3; do tcc-attn run %t.mlir --func=next --in=%t.rows.npy,%t.row.npy,%t.$s.npy --device=$d --check || exit 1; done; done'
// RUN: not sh -c 'for d in host ptx-emu; do for s in 4 most; do tcc-attn run %t.mlir --func=next --in=%t.rows.npy,%t.row.npy,%t.$s.npy --device=$d && exit; done; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in host ptx-emu; do for s in least m1 3 most; do tcc-attn run %t.mlir --func=clamped --in=%t.rows.npy,%t.row.npy,%t.$s.npy --device=$d --check || exit 1; done; done'
// RUN: sh -c 'for d in host ptx-emu; do tcc-attn run %t.mlir --func=wrapped --in=%t.rows.npy,%t.row.npy,%t.least.npy --device=$d --check || exit 1; done'
// CHECK-COUNT-4: error: the shapes of the arguments of '{{.*}}' do not fit together, or one that is a position lies outside of its tensor

func.func @numbers() -> (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %rows = arith.constant dense<2.0> : tensor<5x4xf32>
  %row = arith.constant dense<3.0> : tensor<1x4xf32>
  %m1 = arith.constant dense<-1> : tensor<i32>
  %0 = arith.constant dense<0> : tensor<i32>
  %3 = arith.constant dense<3> : tensor<i32>
  %4 = arith.constant dense<4> : tensor<i32>
  %most = arith.constant dense<2147483647> : tensor<i32>
  %least = arith.constant dense<-2147483648> : tensor<i32>
  return %rows, %row, %m1, %0, %3, %4, %most, %least : tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

func.func @put(%rows: tensor<?x4xf32>, %row: tensor<1x4xf32>, %at: i32) -> tensor<?x4xf32> {
  %i = arith.index_cast %at : i32 to index
  %r = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// 2147483647 + 1 is -2147483648.
func.func @next(%rows: tensor<?x4xf32>, %row: tensor<1x4xf32>, %at: i32) -> tensor<?x4xf32> {
  %c1 = arith.constant 1 : i32
  %next = arith.addi %at, %c1 : i32
  %wide = arith.extsi %next : i32 to i64
  %i = arith.index_cast %wide : i64 to index
  %r = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @clamped(%rows: tensor<5x4xf32>, %row: tensor<1x4xf32>, %at: i32) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %most = arith.minsi %at, %c4 : i32
  %least = arith.maxsi %most, %c0 : i32
  %i = arith.index_cast %least : i32 to index
  %r = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// -2147483648 * 3 - 2147483645 is 3, in 32 bits.
func.func @wrapped(%rows: tensor<5x4xf32>, %row: tensor<1x4xf32>, %at: i32) -> tensor<5x4xf32> {
  %c3 = arith.constant 3 : i32
  %far = arith.constant 2147483645 : i32
  %product = arith.muli %at, %c3 : i32
  %rest = arith.subi %product, %far : i32
  %i = arith.index_cast %rest : i32 to index
  %r = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
