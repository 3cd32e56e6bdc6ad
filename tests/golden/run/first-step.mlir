// Products whose terms are taken in steps start from what fills their results: any number, in the first step only; with
// rows, columns and terms left over, for two threads, several products of a batch, and integers.
// RUN: sh -c 'for element in f32 f16 bf16; do sed "s/ELEMENT/$element/g" %s >%t.mlir && for sizes in rows=262,columns=128,reduction=500 rows=100,columns=64,reduction=540 rows=7,columns=600,reduction=1; do tcc-attn run %t.mlir --func=product --random --check --verify --threads=2 --tiles=$sizes || { echo $element; exit 1; }; done; done' | FileCheck %s
// RUN: sh -c 'sed "s/ELEMENT/f32/g" %s >%t.mlir && for function in batch whole open; do tcc-attn run %t.mlir --func=$function --random --dims=70 --check --verify --tiles=rows=50,columns=64,reduction=64 || { echo $function; exit 1; }; done' | FileCheck %s --check-prefix=OTHERS
// CHECK-COUNT-9: : good
// CHECK-NOT: WRONG
// OTHERS-COUNT-3: : good
// OTHERS-NOT: WRONG
func.func @product(%a: tensor<262x1620xELEMENT>, %b: tensor<1620x600xELEMENT>) -> tensor<262x600xf32> {
  %start = arith.constant 77.5 : f32
  %empty = tensor.empty() : tensor<262x600xf32>
  %init = linalg.fill ins(%start : f32) outs(%empty : tensor<262x600xf32>) -> tensor<262x600xf32>
  %result = linalg.matmul ins(%a, %b : tensor<262x1620xELEMENT>, tensor<1620x600xELEMENT>) outs(%init : tensor<262x600xf32>) -> tensor<262x600xf32>
  return %result : tensor<262x600xf32>
}
func.func @batch(%a: tensor<3x70x200xf32>, %b: tensor<3x200x90xf32>, %start: f32) -> tensor<3x70x90xf32> {
  %empty = tensor.empty() : tensor<3x70x90xf32>
  %init = linalg.fill ins(%start : f32) outs(%empty : tensor<3x70x90xf32>) -> tensor<3x70x90xf32>
  %result = linalg.batch_matmul ins(%a, %b : tensor<3x70x200xf32>, tensor<3x200x90xf32>) outs(%init : tensor<3x70x90xf32>) -> tensor<3x70x90xf32>
  return %result : tensor<3x70x90xf32>
}
func.func @whole(%a: tensor<70x200xi32>, %b: tensor<200x90xi32>) -> tensor<70x90xi32> {
  %start = arith.constant -77 : i32
  %empty = tensor.empty() : tensor<70x90xi32>
  %init = linalg.fill ins(%start : i32) outs(%empty : tensor<70x90xi32>) -> tensor<70x90xi32>
  %result = linalg.matmul ins(%a, %b : tensor<70x200xi32>, tensor<200x90xi32>) outs(%init : tensor<70x90xi32>) -> tensor<70x90xi32>
  return %result : tensor<70x90xi32>
}
// No step at all, where there are no terms.
func.func @open(%a: tensor<70x?xf32>, %b: tensor<?x90xf32>) -> tensor<70x90xf32> {
  %start = arith.constant 77.5 : f32
  %empty = tensor.empty() : tensor<70x90xf32>
  %init = linalg.fill ins(%start : f32) outs(%empty : tensor<70x90xf32>) -> tensor<70x90xf32>
  %result = linalg.matmul ins(%a, %b : tensor<70x?xf32>, tensor<?x90xf32>) outs(%init : tensor<70x90xf32>) -> tensor<70x90xf32>
  return %result : tensor<70x90xf32>
}
