// One panel of all terms, in parts of 256, lines of 16 or 32 and what is left, with rows and columns left over.
// RUN: sh -c 'for element in f32 f16 bf16; do sed "s/ELEMENT/$element/g" %s >%t.mlir && tcc-attn run %t.mlir --random --check --verify --tiles=rows=262,columns=64,reduction=1620 || { echo $element; exit 1; }; done' | FileCheck %s
// CHECK-COUNT-3: : good
// CHECK-NOT: WRONG
func.func @product(%a: tensor<262x1620xELEMENT>, %b: tensor<1620x600xELEMENT>, %c: tensor<262x600xf32>) -> tensor<262x600xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<262x1620xELEMENT>, tensor<1620x600xELEMENT>) outs(%c : tensor<262x600xf32>) -> tensor<262x600xf32>
  return %result : tensor<262x600xf32>
}
