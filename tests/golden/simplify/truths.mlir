// Truths that are known leave conjunctions and disjunctions.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s

// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[A:[^:]*]]: i1
// CHECK: return %[[A]], %[[A]], %[[A]] : i1, i1, i1
func.func @neutral(%a: i1) -> (i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %and = arith.andi %a, %true : i1
  %or = arith.ori %a, %false : i1
  %xor = arith.xori %a, %false : i1
  return %and, %or, %xor : i1, i1, i1
}

// CHECK-LABEL: func.func @decided(
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: return %[[FALSE]], %[[TRUE]] : i1, i1
func.func @decided(%a: i1) -> (i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %and = arith.andi %false, %a : i1
  %or = arith.ori %true, %a : i1
  return %and, %or : i1, i1
}

// CHECK-LABEL: func.func @bits(
// CHECK-SAME: %[[A:[^:]*]]: i8
// CHECK: %[[ONES:.*]] = arith.constant -1 : i8
// CHECK: %[[ONE:.*]] = arith.ori %[[A]], %{{.*}} : i8
// CHECK: return %[[A]], %[[ONES]], %[[ONE]] : i8, i8, i8
func.func @bits(%a: i8) -> (i8, i8, i8) {
  %ones = arith.constant -1 : i8
  %one = arith.constant 1 : i8
  %and = arith.andi %a, %ones : i8
  %or = arith.ori %a, %ones : i8
  %kept = arith.ori %a, %one : i8
  return %and, %or, %kept : i8, i8, i8
}
