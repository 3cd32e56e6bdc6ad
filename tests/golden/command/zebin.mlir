// --emit=zebin hands the SPIR-V to `ocloc`, here a stand-in, and leaves nothing behind; without it that is one message.
// RUN: rm -rf %t && mkdir -p %t/temporary
// RUN: sh -c 'TMPDIR=%t/temporary PATH=%S/stand-in:$PATH tcc-attn compile %s --target=spirv:pvc --emit=zebin -o %t/out'
// RUN: FileCheck %s --check-prefix=BINARY --input-file=%t/out
// RUN: sh -c 'TMPDIR=%t/temporary PATH=%S/stand-in:$PATH tcc-attn compile %s --target=spirv:dg2 --emit=zebin -o %t/none; test $? = 1' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sh -c 'command=$(command -v tcc-attn); TMPDIR=%t/temporary PATH=%t; "$command" compile %s --target=spirv:pvc --emit=zebin -o %t/none; [ $? = 1 ]' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'tcc-attn compile %s --target=spirv:generic --emit=zebin -o %t/none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: sh -c 'tcc-attn compile %s --emit=zebin -o %t/none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: test ! -e %t/none
// RUN: rmdir %t/temporary

// BINARY: binary for pvc of 07230203
// BAD: error: --emit=zebin: ocloc cannot compile for 'dg2':
// BAD-NEXT: no such chip
// NONE: error: --emit=zebin: Intel's offline compiler `ocloc` cannot be started: No such file or directory
// NONE-NOT: {{.}}
// GENERIC: --emit=zebin needs a chip: --target=spirv:dg2, say
// HOST: zebin with --target=spirv:CHIP
func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
