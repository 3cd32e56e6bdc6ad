// Wrong usage exits with 2, wrong input with 1 and one message; a failure writes nothing.
// RUN: tcc-attn --help | FileCheck %s --check-prefix=HELP
// RUN: tcc-attn --version | FileCheck %s --check-prefix=VERSION
// RUN: sh -c 'tcc-attn; test $? = 2'
// RUN: sh -c 'tcc-attn opt; test $? = 2'
// RUN: sh -c 'tcc-attn opt %s --unknown; test $? = 2' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sh -c 'tcc-attn opt %s -o; test $? = 2' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: sh -c 'tcc-attn opt %s --cores=; test $? = 2; tcc-attn opt %s --cores=0; test $? = 2' 2>&1 | FileCheck %s --check-prefix=CORES
// RUN: sh -c 'for tiles in "" rows=0 rows=1048577 rows=8,rows rows=8, "rows=8 " depth=8 rows=4,rows=5; do tcc-attn opt %s "--tiles=$tiles"; test $? = 2 || exit 1; done' 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: sh -c 'tcc-attn opt %examples/attention.mlir --tiles=rows=1048576,softmax=128 -o /dev/null && tcc-attn opt %examples/attention.mlir --tiles=own -o /dev/null'
// RUN: sh -c 'tcc-attn list things; test $? = 2' 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: sh -c 'tcc-attn opt %t.none; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: rm -f %t && sh -c 'tcc-attn opt %s -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: test ! -e %t
// RUN: sh -c 'tcc-attn opt %examples/attention.mlir --passes=nothing; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: sh -c 'tcc-attn compile %examples/attention.mlir --dump=nothing -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: sh -c 'for dump in "" , ; do tcc-attn run %examples/attention.mlir "--dump=$dump"; test $? = 1 || exit 1; done' 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: %reject compile %examples/attention.mlir --target=interp --dump=nothing | FileCheck %s --check-prefix=PASS
// RUN: sh -c 'for target in interp interp:double; do tcc-attn compile %examples/attention.mlir --emit=obj --target=$target -o %t; test $? = 2 || exit 1; done' 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: test ! -e %t
// RUN: sh -c 'tcc-attn compile %examples/attention.mlir --emit=obj --header=/dev/full -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: test ! -e %t
// RUN: sh -c 'tcc-attn compile %examples/attention.mlir --emit=obj --header=%t.h -o %t.none/o; test $? = 1' 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: test ! -e %t.h
// RUN: echo 'func.func @double(%%x: f32) { return }' > %t.name && %reject compile %t.name --emit=obj --header=%t.h -o %t.o | FileCheck %s --check-prefix=NAME
// RUN: sh -c 'tcc-attn opt - <&-; test $? = 1' 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: sh -c 'tcc-attn run %examples/attention.mlir --in=-,-,- < %s; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NPY
// RUN: sh -c 'tcc-attn --help > /dev/full; test $? = 1' 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: tcc-attn compile %examples/attention.mlir -o %t.tecp
// RUN: %reject opt %t.tecp | FileCheck %s --check-prefix=PROGRAM
// RUN: %reject opt %examples/attention.mlir --target=vax | FileCheck %s --check-prefix=TARGET
// RUN: %reject opt %examples/attention.mlir --target=nvptx:sm_20 | FileCheck %s --check-prefix=TARGET
// RUN: %reject opt %examples/attention.mlir --target=interp:single | FileCheck %s --check-prefix=TARGET
// RUN: cp %examples/attention.mlir %t.copy
// RUN: sh -c 'tcc-attn compile %t.copy -o %t.copy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: sh -c 'tcc-attn compile %t.copy --emit=obj --header=%t.copy -o %t; test $? = 2' 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: cmp %t.copy %examples/attention.mlir
// RUN: sh -c 'tcc-attn compile %t.copy --emit=obj --header=%t.h -o %t.h; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sh -c 'tcc-attn compile %t.copy --emit=obj --header=%t.h -o "$(dirname %t.h)/./$(basename %t.h)"; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sh -c 'tcc-attn compile %t.copy --emit=obj --header=- -o - | cat' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: test ! -e %t.h
// RUN: echo > %t.empty && %reject compile %t.empty -o /dev/null | FileCheck %s --check-prefix=EMPTY

// INPUT: tcc-attn: the output would overwrite the input
// BOTH: tcc-attn: -o and --header name the same file
// EMPTY: usage.mlir{{.*}}.empty:1:1: error: there is no public function to compile
// FOLDER: error: cannot write '{{.*}}.none/o': No such file or directory
// DUMP: error: no pass to dump is named in ''
// DUMP: error: no pass to dump is named in ','
// NAME: .name:1:1: error: the function name 'double' cannot be used in C
// STDIN: error: cannot read 'standard input': Bad file descriptor
// NPY: error: cannot read 'standard input': it is no .npy file
// OBJECT-COUNT-2: obj with a host
// HELP: usage:
// HELP: tcc-attn opt
// VERSION: tcc-attn {{[0-9]+\.[0-9]+\.[0-9]+}}
// UNKNOWN: this command has no option '--unknown'
// MISSING: a value is missing after '-o'
// CORES: --cores wants a number from 1 to 4096, not ''
// CORES: --cores wants a number from 1 to 4096, not '0'
// TILES: --tiles wants sizes as in rows=64,columns=128,reduction=256,softmax=128, not ''
// TILES: not 'rows=0'
// TILES: not 'rows=4,rows=5'
// LIST: cannot list 'things'; there are ops, passes, targets, devices, layouts
// NONE: error: cannot read '{{.*}}': No such file or directory
// CLOSED: error: cannot write to standard output
// PROGRAM: error: this command needs a module's text, not a compiled program
// TARGET: error: there is no target '{{vax|nvptx:sm_20|interp:single}}'; 'tcc-attn list targets' shows all
// ERROR: usage.mlir:[[#@LINE+3]]:{{[0-9]+}}: error:
// PASS: error: unknown pass 'nothing'
// FULL: error: cannot write '/dev/full': No space left on device
func.func @f(%x: f33) { return }
