// One panel of all terms, in parts of 256, lines of 16 or 32 and what is left, with rows and columns left over; and steps
// of 512 and 500 terms, which are added to results. One row takes four terms at a time.
// RUN: sh -c 'for element in f32 f16 bf16; do sed "s/ELEMENT/$element/g" %s >%t.mlir && tcc-attn run %t.mlir --random --check --verify --tiles=rows=262,columns=64,reduction=1620 || { echo $element; exit 1; }; done' | FileCheck %s
// RUN: sh -c 'for element in f32 f16 bf16; do sed "s/ELEMENT/$element/g" %s >%t.mlir && tcc-attn run %t.mlir --random --check --verify --tiles=rows=262,columns=128,reduction=512 && tcc-attn run %t.mlir --random --check --verify --tiles=rows=262,columns=64,reduction=500 || { echo $element; exit 1; }; done' | FileCheck %s --check-prefix=STEPS
// RUN: sed "s/262x/1x/g; s/ELEMENT/f32/g; s/x600x/x2100x/g" %s >%t.one.mlir && tcc-attn run %t.one.mlir --random --check --verify | FileCheck %s --check-prefix=ONE
// CHECK-COUNT-3: : good
// CHECK-NOT: WRONG
// STEPS-COUNT-6: : good
// STEPS-NOT: WRONG
// ONE: : good
func.func @product(%a: tensor<262x1620xELEMENT>, %b: tensor<1620x600xELEMENT>, %c: tensor<262x600xf32>) -> tensor<262x600xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<262x1620xELEMENT>, tensor<1620x600xELEMENT>) outs(%c : tensor<262x600xf32>) -> tensor<262x600xf32>
  return %result : tensor<262x600xf32>
}
