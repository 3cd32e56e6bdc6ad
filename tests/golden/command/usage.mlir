// Wrong usage exits with 2, wrong input with 1 and one message; a failure writes nothing.
// RUN: tcc-attn --help | FileCheck %s --check-prefix=HELP
// RUN: tcc-attn --version | FileCheck %s --check-prefix=VERSION
// RUN: sh -c 'tcc-attn; test $? = 2'
// RUN: sh -c 'tcc-attn opt; test $? = 2'
// RUN: sh -c 'tcc-attn opt %s --unknown; test $? = 2' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sh -c 'tcc-attn opt %s -o; test $? = 2' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: sh -c 'tcc-attn list things; test $? = 2' 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: sh -c 'tcc-attn opt %t.none; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: rm -f %t && sh -c 'tcc-attn opt %s -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: test ! -e %t
// RUN: sh -c 'tcc-attn opt %examples/attention.mlir --passes=nothing; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: sh -c 'tcc-attn compile %examples/attention.mlir --dump=nothing -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: sh -c 'tcc-attn compile %examples/attention.mlir --emit=obj --header=/dev/full -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: test ! -e %t

// HELP: usage:
// HELP: tcc-attn opt
// VERSION: tcc-attn {{[0-9]+\.[0-9]+\.[0-9]+}}
// UNKNOWN: this command has no option '--unknown'
// MISSING: a value is missing after '-o'
// LIST: cannot list 'things'; there are ops, passes, targets, devices, layouts
// NONE: error: cannot read '{{.*}}': No such file or directory
// ERROR: usage.mlir:[[#@LINE+3]]:{{[0-9]+}}: error:
// PASS: error: unknown pass 'nothing'
// FULL: error: cannot write '/dev/full': No space left on device
func.func @f(%x: f33) { return }
