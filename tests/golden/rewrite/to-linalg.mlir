// Ops on whole tensors become structured ops: numbers that are the same everywhere are scalars of the body, extents stay
// what they were, and what a script has scheduled is left alone.
// RUN: tcc-attn opt %s --passes=to-linalg --verify | FileCheck %s
// RUN: tcc-attn run %s --random --dims=5 --check

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: tensor<3x?xf32>, %[[X:.*]]: f32)
// CHECK: %[[N:.*]] = tensor.dim %[[A]]
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%[[X]] : f32) outs(%{{.*}} : tensor<3x?xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[FILLED]] :
// CHECK: arith.addf
// CHECK: %[[MADE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x?xi1>)
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: %[[LAST:.*]] = arith.subi %[[N]],
// CHECK: arith.cmpi slt
// CHECK: %[[SQUARE:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[X]], %[[X]] : f32
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[MADE]], %[[SQUARE]] :
// CHECK-NEXT: ^bb0(
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %cst
// CHECK-NOT: {{(arith|tensor)\..*}} : tensor
// CHECK: return %[[R]]
func.func @f(%a: tensor<3x?xf32>, %x: f32) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<3x?xf32>
  %filled = tensor.splat %x[%n] : tensor<3x?xf32>
  %sum = arith.addf %a, %filled : tensor<3x?xf32>
  %made = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %last = arith.subi %n, %c1 : index
    %most = arith.subi %last, %i : index
    %shown = arith.cmpi slt, %j, %most : index
    tensor.yield %shown : i1
  } : tensor<3x?xi1>
  %none = arith.constant -1.0 : f32
  %hidden = tensor.splat %none[%n] : tensor<3x?xf32>
  %square = arith.mulf %sum, %sum : tensor<3x?xf32>
  %r = arith.select %made, %square, %hidden : tensor<3x?xi1>, tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
