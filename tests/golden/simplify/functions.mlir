// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// Functions of constants are constants, as are the tests for what is no number.

// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[ROOT:.*]] = arith.constant -3.0{{.*}} : f32
// CHECK-DAG: %[[PI:.*]] = arith.constant 3.14{{.*}} : f16
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<0x7FC00000> : vector<4xf32>
// CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK-NOT: math
// CHECK: return %[[ROOT]], %[[PI]], %[[NONE]], %[[YES]], %[[NO]]
func.func @constants() -> (f32, f16, vector<4xf32>, vector<4xi1>, i1) {
  %cube = arith.constant -27.0 : f32
  %root = math.cbrt %cube : f32
  %zero = arith.constant 0.0 : f16
  %minus_zero = arith.constant -0.0 : f16
  %pi = math.atan2 %zero, %minus_zero : f16
  %two = arith.constant dense<2.0> : vector<4xf32>
  %none = math.acos %two : vector<4xf32>
  %yes = math.isnan %none : vector<4xf32>
  %infinite = arith.constant 0x7C00 : f16
  %no = math.isfinite %infinite : f16
  return %root, %pi, %none, %yes, %no : f32, f16, vector<4xf32>, vector<4xi1>, i1
}
