// The forms of output, and the streams they go to.
// RUN: tcc-attn opt %s | FileCheck %s --check-prefix=PRETTY
// RUN: tcc-attn opt - < %s | FileCheck %s --check-prefix=PRETTY
// RUN: tcc-attn opt %s --generic | FileCheck %s --check-prefix=GENERIC
// RUN: tcc-attn opt %s -o %t && FileCheck %s --check-prefix=PRETTY < %t
// RUN: tcc-attn opt %s --passes=simplify --dump=all --time -o %t 2>&1 | FileCheck %s --check-prefix=DUMP

// PRETTY: func.func @twice(%arg0: f32) -> f32 {
// PRETTY: arith.addf %arg0, %arg0 : f32
// GENERIC: "arith.addf"(%arg0, %arg0) : (f32, f32) -> f32
// DUMP: time: parse
// DUMP: // ----- after simplify
// DUMP-NEXT: module {
func.func @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
