// Running a module: random and file arguments, both devices, the check against the interpreter, a program file.
// RUN: tcc-attn run %s --random --check | FileCheck %s
// RUN: tcc-attn run %s --random --check --fuse=off | FileCheck %s
// RUN: tcc-attn run %s --random=7 --device=host --out=%t.host.npy
// RUN: tcc-attn compile %s -o %t.tecp
// RUN: tcc-attn run %t.tecp --random=7 --out=%t.program.npy
// RUN: cmp %t.host.npy %t.program.npy
// RUN: tcc-attn run %s --random --device=interp --bench=2 | FileCheck %s --check-prefix=INTERP
// RUN: sh -c 'tcc-attn run %s --in=%t.host.npy; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: sh -c 'tcc-attn run %s --in=%t.host.npy,%s; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NPY
// RUN: %reject run %s --random --out=%t.a.npy,%t.b.npy | FileCheck %s --check-prefix=MANY
// RUN: %reject run %t.tecp --random --tiles=rows=16 | FileCheck %s --check-prefix=TEXT
// RUN: %reject run %s --random --target=host:cortex-a72 | FileCheck %s --check-prefix=FOREIGN
// RUN: tcc-attn compile %s --target=host:cortex-a72 -o %t.foreign
// RUN: %reject run %t.foreign --random | FileCheck %s --check-prefix=FOREIGN
// RUN: sh -c 'tcc-attn run %s; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NOTHING

// CHECK: run: product(f32[33, 20], f32[20, 17]) -> (f32[33, 17]) on host:
// CHECK: check: result 0: largest error {{.*}}: good
// INTERP: on interp
// INTERP: bench: median
// ONE: error: --in names 1 files, but the function's arguments are 2
// NPY: error: cannot read '{{.*}}': it is no .npy file
// MANY: error: --out names 2 files, but the function's outputs are 1
// MANY-NOT: run:
// TEXT: error: --tiles needs a module's text, not a compiled program
// FOREIGN: error: the program's code is for another kind of processor, 'host:cortex-a72'
// NOTHING: error: the function has arguments: give --in or --random
func.func @product(%a: tensor<33x20xf32>, %b: tensor<20x17xf32>) -> tensor<33x17xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x17xf32>) -> tensor<33x17xf32>
  %result = linalg.matmul ins(%a, %b : tensor<33x20xf32>, tensor<20x17xf32>) outs(%init : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %result : tensor<33x17xf32>
}
