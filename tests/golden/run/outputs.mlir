// All outputs or none are written; no two to one file, and none over an input.
// RUN: rm -rf %t && mkdir %t && tcc-attn run %s --random --out=%t/x.npy,%t/y.npy,%t/z.npy
// RUN: cp %s %t/m.mlir && cp %t/x.npy %t/in.npy
// RUN: not tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,%t/none/b.npy,%t/c.npy 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,/dev/full,%t/c.npy 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,%t,%t/c.npy 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// RUN: sh -c 'tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,%t/a.npy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,%t/c.npy,%t/./a.npy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'cd %t && tcc-attn run %s --in=in.npy --out=a.npy,%t/a.npy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'tcc-attn run %s --in=%t/in.npy --out=%t/x.npy,%t/../$(basename %t)/x.npy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'tcc-attn run %s --in=%t/in.npy --out=-,%t/a.npy,-; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'tcc-attn run %s --in=%t/in.npy --out=%t/a.npy,%t/./in.npy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=IN
// RUN: sh -c 'tcc-attn run %t/m.mlir --in=%t/in.npy --out=%t/m.mlir; test $? = 2' 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: cmp %s %t/m.mlir && cmp %t/x.npy %t/in.npy
// RUN: ls %t | FileCheck %s --check-prefix=LEFT
// RUN: tcc-attn run %s --in=- --out=/dev/null,%t/y2.npy,/dev/null < %t/in.npy && cmp %t/y.npy %t/y2.npy
// FOLDER: error: cannot write '{{.*}}/none/b.npy': No such file or directory
// FULL: error: cannot write '/dev/full': No space left on device
// DIRECTORY: error: cannot write '{{.*}}': Is a directory
// TWICE: tcc-attn: --out names a file twice
// IN: tcc-attn: --out would overwrite what --in names
// INPUT: tcc-attn: --out would overwrite the input
// LEFT: in.npy
// LEFT-NEXT: m.mlir
// LEFT-NEXT: x.npy
// LEFT-NEXT: y.npy
// LEFT-NEXT: z.npy
// LEFT-NOT: {{.}}
func.func @copies(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  return %x, %x, %x : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
