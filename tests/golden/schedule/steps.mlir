// Sums of a product stay in registers as long as a panel of a factor stays in the second-level cache, or those of 128
// columns where rows meet these in turn: 512 terms on this CPU. More are cut into steps that are alike, or near it where
// there are no such; a product of few rows has no panels.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=2 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:skylake --cores=2 | FileCheck %s --check-prefix=SMALL
// RUN: tcc-attn opt %s --passes=schedule --target=host:sapphirerapids --cores=2 | FileCheck %s --check-prefix=LARGE

// CHECK-LABEL: @whole
// CHECK: linalg.matmul {{.*}}x512xf32>, tensor<512x
// SMALL-LABEL: @whole
// SMALL: linalg.matmul {{.*}}x1024xf32>, tensor<1024x
func.func @whole(%a: tensor<65536x2048xf32>, %b: tensor<2048x65536xf32>, %start: tensor<65536x65536xf32>)
    -> tensor<65536x65536xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<65536x2048xf32>, tensor<2048x65536xf32>)
      outs(%start : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return %result : tensor<65536x65536xf32>
}

// CHECK-LABEL: @two
// CHECK: linalg.matmul {{.*}}x500xf32>, tensor<500x
func.func @two(%a: tensor<65536x3000xf32>, %b: tensor<3000x65536xf32>, %start: tensor<65536x65536xf32>)
    -> tensor<65536x65536xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<65536x3000xf32>, tensor<3000x65536xf32>)
      outs(%start : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return %result : tensor<65536x65536xf32>
}

// CHECK-LABEL: @uneven
// CHECK: step %c512
func.func @uneven(%a: tensor<65536x3001xf32>, %b: tensor<3001x65536xf32>, %start: tensor<65536x65536xf32>)
    -> tensor<65536x65536xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<65536x3001xf32>, tensor<3001x65536xf32>)
      outs(%start : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return %result : tensor<65536x65536xf32>
}

// Where the second-level cache has room for these rows of sums beside two pieces, the other factor is read in long rows.
// CHECK-LABEL: @few_rows
// CHECK: linalg.matmul {{.*}}tensor<16x256xf32>, tensor<256x
// LARGE-LABEL: @few_rows
// LARGE: linalg.matmul {{.*}}tensor<16x32xf32>, tensor<32x2048x
func.func @few_rows(%a: tensor<16x2048xf32>, %b: tensor<2048x65536xf32>, %start: tensor<16x65536xf32>)
    -> tensor<16x65536xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<16x2048xf32>, tensor<2048x65536xf32>)
      outs(%start : tensor<16x65536xf32>) -> tensor<16x65536xf32>
  return %result : tensor<16x65536xf32>
}

// Two products in one kernel, whose tiles each copy both weights into panels: as many tiles as threads, or a multiple.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=1 | FileCheck %s --check-prefix=ONE
// ONE-LABEL: @chain
// ONE: scf.forall (%{{.*}}) = (0) to (1000) step (1000)
func.func @chain(%x: tensor<1000x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %start: tensor<1000x64xf32>)
    -> tensor<1000x64xf32> {
  %h = linalg.matmul ins(%x, %a : tensor<1000x64xf32>, tensor<64x64xf32>) outs(%start : tensor<1000x64xf32>)
      -> tensor<1000x64xf32>
  %y = linalg.matmul ins(%h, %b : tensor<1000x64xf32>, tensor<64x64xf32>) outs(%start : tensor<1000x64xf32>)
      -> tensor<1000x64xf32>
  return %y : tensor<1000x64xf32>
}

// One thread has nobody to share a product with, so nothing is left over by tiles.
// ONE-LABEL: @alone
// ONE: linalg.matmul {{.*}}tensor<96x96xf32>, tensor<96x96xf32>
func.func @alone(%a: tensor<96x96xf32>, %b: tensor<96x96xf32>, %start: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %result = linalg.matmul ins(%a, %b : tensor<96x96xf32>, tensor<96x96xf32>) outs(%start : tensor<96x96xf32>)
      -> tensor<96x96xf32>
  return %result : tensor<96x96xf32>
}
