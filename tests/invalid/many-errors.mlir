// The first 20 errors are shown, and a note that there are more.
// RUN: not tcc-attn opt %s 2>&1 | FileCheck %s
// CHECK-COUNT-20: error: 'arith.addi' op works on integers, not on f32
// CHECK-NOT: error:
// CHECK: note: there are more errors; the first 20 are shown
// CHECK-NOT: {{.}}
func.func @f(%a: f32) {
  %0 = arith.addi %a, %a : f32
  %1 = arith.addi %a, %a : f32
  %2 = arith.addi %a, %a : f32
  %3 = arith.addi %a, %a : f32
  %4 = arith.addi %a, %a : f32
  %5 = arith.addi %a, %a : f32
  %6 = arith.addi %a, %a : f32
  %7 = arith.addi %a, %a : f32
  %8 = arith.addi %a, %a : f32
  %9 = arith.addi %a, %a : f32
  %10 = arith.addi %a, %a : f32
  %11 = arith.addi %a, %a : f32
  %12 = arith.addi %a, %a : f32
  %13 = arith.addi %a, %a : f32
  %14 = arith.addi %a, %a : f32
  %15 = arith.addi %a, %a : f32
  %16 = arith.addi %a, %a : f32
  %17 = arith.addi %a, %a : f32
  %18 = arith.addi %a, %a : f32
  %19 = arith.addi %a, %a : f32
  %20 = arith.addi %a, %a : f32
  %21 = arith.addi %a, %a : f32
  %22 = arith.addi %a, %a : f32
  return
}
