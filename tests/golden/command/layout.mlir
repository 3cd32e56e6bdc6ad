// Layouts for people.
// RUN: tcc-attn layout mma.m16n8k16.a --svg %t.svg | FileCheck %s --check-prefix=TABLE
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// RUN: tcc-attn layout "[L2@1, R2@1 L2@2]" | FileCheck %s --check-prefix=DIGITS
// RUN: tcc-attn layout %s | FileCheck %s --check-prefix=MODULE
// RUN: tcc-attn list layouts | FileCheck %s --check-prefix=LIST
// RUN: sh -c 'tcc-attn layout "[L8"; test $? = 1' 2>&1 | FileCheck %s --check-prefix=WRONG

// RUN: %reject layout mma.m16n8k16 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: this names neither a layout nor a file; 'tcc-attn list layouts' shows the layouts
// RUN: %reject layout %examples/attention.mlir | FileCheck %s --check-prefix=NONE
// NONE: error: no op of the module has layouts; the pass 'layout' chooses them
// TABLE: level dim size stride moves by
// TABLE: lane row 8 4 1
// TABLE: 0{{[[:space:]]}}0{{[[:space:]]}}1{{[[:space:]]}}1{{[[:space:]]}}2{{[[:space:]]}}2{{[[:space:]]}}3{{[[:space:]]}}3{{[[:space:]]}}0
// TABLE-NEXT: 4{{[[:space:]]}}4{{[[:space:]]}}5
// SVG: <title>mma.m16n8k16.a</title>
// DIGITS: 0{{[[:space:]]}}0{{[[:space:]]}}2{{[[:space:]]}}2
// DIGITS-NEXT: 1{{[[:space:]]}}1{{[[:space:]]}}3{{[[:space:]]}}3
// MODULE: 2 [L8@4 R2@2, R2@1 L4@1]
// LIST: mma.m16n8.c {{.*}}mma.sync C and D
// WRONG: error: '[L8': a digit is a level
func.func @f(%x: vector<16x8xf32>) -> vector<16x8xf32> {
  %0 = math.exp2 %x {tec.layouts = ["[L8@4 R2@2, R2@1 L4@1]"]} : vector<16x8xf32>
  %1 = arith.negf %0 {tec.layouts = ["[L8@4 R2@2, R2@1 L4@1]"]} : vector<16x8xf32>
  return %1 : vector<16x8xf32>
}
