// What is asked of subscripts, slices and calls in branches and loops counts where these are taken, as far as extents
// tell; so does what is asked of positions in bodies of ops. A slice that no place is large enough for is refused.
// RUN: sh -c 'for d in 9,3 5,0; do tcc-attn run %s --func=slices --random --dims=$d || exit 1; done'
// RUN: not tcc-attn run %s --func=slices --random --dims=5,3 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 1,3 0,0; do tcc-attn run %s --func=elements --random --dims=$d || exit 1; done'
// RUN: not tcc-attn run %s --func=elements --random --dims=0,3 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 9,3 5,0; do tcc-attn run %s --func=first --random --dims=$d --check || exit 1; done'
// RUN: not tcc-attn run %s --func=first --random --dims=5,3 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 9 5; do tcc-attn run %s --func=call --random --dims=$d --check || exit 1; done'
// RUN: tcc-attn run %s --func=positions --out=%t.x.npy,%t.none.npy,%t.one.npy,%t.far.npy
// RUN: tcc-attn run %s --func=move --in=%t.x.npy,%t.none.npy,%t.far.npy --check
// RUN: not tcc-attn run %s --func=move --in=%t.x.npy,%t.one.npy,%t.far.npy 2>&1 | FileCheck %s
// CHECK: error: the shapes of the arguments of '{{.*}}' do not fit together

// There is no place for 8 of 5.
func.func @slices(%x: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %e = arith.constant dense<0.0> : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %p = tensor.extract %at[%i] : tensor<?xi64>
    %o = arith.index_cast %p : i64 to index
    %s = tensor.extract_slice %x[%o] [8] [1] : tensor<?xf32> to tensor<8xf32>
    %t = linalg.add ins(%a, %s : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func @elements(%x: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %e = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (f32) {
    %p = tensor.extract %at[%i] : tensor<?xi64>
    %o = arith.index_cast %p : i64 to index
    %s = tensor.extract %x[%o] : tensor<?xf32>
    %t = arith.addf %a, %s : f32
    scf.yield %t : f32
  }
  %z = tensor.from_elements %r : tensor<f32>
  return %z : tensor<f32>
}
// No step, no slice.
func.func @first(%x: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %e = arith.constant dense<0.0> : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
    %t = linalg.add ins(%a, %s : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func @move(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%b) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%c: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.addi %i, %p : index
    %z = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %z : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @eight(%x: tensor<?xf32>) -> tensor<8xf32> {
  %s = tensor.extract_slice %x[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.exp ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %t : tensor<8xf32>
}

func.func @call(%x: tensor<?xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = arith.constant dense<1.0> : tensor<8xf32>
  %many = arith.cmpi sge, %n, %c8 : index
  %r = scf.if %many -> (tensor<8xf32>) {
    %t = func.call @eight(%x) : (tensor<?xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %e : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func @positions() -> (tensor<5xf32>, tensor<0xf32>, tensor<1xf32>, tensor<i64>) {
  %x = arith.constant dense<1.0> : tensor<5xf32>
  %none = tensor.empty() : tensor<0xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %far = arith.constant dense<1099511627776> : tensor<i64>
  return %x, %none, %one, %far : tensor<5xf32>, tensor<0xf32>, tensor<1xf32>, tensor<i64>
}
