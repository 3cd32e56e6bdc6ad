// Extents known only at run time: chosen for random arguments, taken from files, refused where they do not fit.
// RUN: tcc-attn run %s --random --check | FileCheck %s --check-prefix=ALL
// RUN: tcc-attn run %s --random --dims=0 --check | FileCheck %s --check-prefix=NONE
// RUN: tcc-attn run %s --random --dims=33,7,7,12 --check --out=%t.npy | FileCheck %s --check-prefix=EACH
// RUN: tcc-attn run %s --random --dims=33,7,7,12 --device=interp | FileCheck %s --check-prefix=EACH
// RUN: sh -c 'tcc-attn run %s --random --dims=33,7,8,12; test $? = 1' 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: sh -c 'tcc-attn run %s --in=%t.npy,%t.npy; test $? = 1' 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: sh -c 'tcc-attn run %s --random --dims=33,7,8,12 --device=ptx-emu; test $? = 1' 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: sh -c 'tcc-attn run %s --random --dims=33,7; test $? = 1' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: sh -c 'tcc-attn run %s --random --dims=3,x; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sh -c 'tcc-attn run %s --dims=3; test $? = 2' 2>&1 | FileCheck %s --check-prefix=RANDOM

// ALL: product(f32[100, 100], f32[100, 100]) -> (f32[100, 100]) on host
// ALL: : good
// NONE: product(f32[0, 0], f32[0, 0]) -> (f32[0, 0]) on host
// NONE: : good
// EACH: product(f32[33, 7], f32[7, 12]) -> (f32[33, 12]) on
// MISFIT-NOT: error:
// MISFIT: error: the shapes of the arguments of 'product' do not fit together at line [[#@LINE+13]]
// MISFIT-NOT: error:
// COUNT: error: --dims gives 2 extents, but 4 are open (one would stand for all)
// NUMBER: --dims wants numbers, separated by commas, from 0 to {{[0-9]+}}, not '3,x'
// RANDOM: --dims goes with --random
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
