// What a loop carries keeps its extents where each step passes on what has them, from its own place or from another's that
// began alike: a step before the last, or two that swap; or where what is passed on is made for such a size.
// RUN: sh -c 'for f in before swapped spelled; do for d in 4,0 5,1 6,2 7,7; do tcc-attn run %s --func=$f --random --dims=$d --check || exit 1; done; done'
// Where that does not show, each call is asked for it: extents of others, or of what is made of several.
// RUN: tcc-attn run %s --func=mixed --random --dims=5,5,3 --check
// RUN: not tcc-attn run %s --func=mixed --random --dims=5,6,3 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: tcc-attn run %s --func=another --random --dims=5,5 --check
// RUN: not tcc-attn run %s --func=another --random --dims=5,6 2>&1 | FileCheck %s --check-prefix=ANOTHER
// RUN: tcc-attn run %s --func=longer --random --dims=5,0 --check
// RUN: not tcc-attn run %s --func=longer --random --dims=5,6 2>&1 | FileCheck %s --check-prefix=LONGER

func.func @before(%x: tensor<?x3xf32>, %steps: tensor<?xi8>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %steps, %c0 : tensor<?xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %x, %old = %x) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
    %sum = linalg.add ins(%last, %old : tensor<?x3xf32>, tensor<?x3xf32>) outs(%last : tensor<?x3xf32>) -> tensor<?x3xf32>
    scf.yield %sum, %last : tensor<?x3xf32>, tensor<?x3xf32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<?x3xf32>
}

func.func @swapped(%x: tensor<?xf32>, %steps: tensor<?xi8>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %steps, %c0 : tensor<?xi8>
  %twice = arith.addf %x, %x : tensor<?xf32>
  %less = math.tanh %x : tensor<?xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %twice, %c = %less) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %c, %a : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The largest and the sum of the rows, as loops over the keys of attention carry them.
func.func @spelled(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %rows step %c1 iter_args(%most = %first, %sum = %first) -> (tensor<?xf32>, tensor<?xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %new_most = linalg.max ins(%most, %row : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %new_sum = arith.addf %sum, %row : tensor<?xf32>
    scf.yield %new_most, %new_sum : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// MIXED: error: the shapes of the arguments of 'mixed' do not fit together{{.*}} at line [[@LINE+5]]{{$}}
func.func @mixed(%x: tensor<?xf32>, %y: tensor<?xf32>, %steps: tensor<?xi8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %steps, %c0 : tensor<?xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0 : tensor<?xf32>
}

// ANOTHER: error: the shapes of the arguments of 'another' do not fit together{{.*}} at line [[@LINE+5]]{{$}}
func.func @another(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %sum = arith.addf %y, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The result of the function has one extent, so nothing but the loop shows that what it carries has grown.
// LONGER: error: the shapes of the arguments of 'longer' do not fit together{{.*}} at line [[@LINE+6]]{{$}}
func.func @longer(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %more = tensor.concat dim(0) %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %more : tensor<?xf32>
  }
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%r : tensor<?xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}
