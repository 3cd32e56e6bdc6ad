// A product of f32 with many rows takes all its terms at once, and the columns of one panel, where that panel is no more
// than half of the second-level cache and the last one is near; longer ones, and those with few rows or columns, go in
// steps, for as many rows as are asked for from there.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 --cores=2 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=2 | FileCheck %s --check-prefix=FAR
// RUN: tcc-attn opt %s --passes=schedule --target=host:emeraldrapids --cores=2 | FileCheck %s --check-prefix=FAR

// CHECK-LABEL: @fits
// CHECK: scf.forall {{.*}} step (2048, 64)
// CHECK-NOT: scf.for
// CHECK: linalg.matmul
// FAR-LABEL: @fits
// FAR: scf.forall {{.*}} step (1024, {{128|256}})
func.func @fits(%a: tensor<8192x2048xf32>, %b: tensor<2048x8192xf32>, %c: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8192x2048xf32>, tensor<2048x8192xf32>) outs(%c : tensor<8192x8192xf32>)
      -> tensor<8192x8192xf32>
  return %r : tensor<8192x8192xf32>
}

// CHECK-LABEL: @long
// CHECK: scf.forall {{.*}} step (4096, 128)
// CHECK: scf.for {{.*}} step %c
// FAR-LABEL: @long
// FAR: scf.forall {{.*}} step (1024, {{128|256}})
func.func @long(%a: tensor<8192x2050xf32>, %b: tensor<2050x8192xf32>, %c: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8192x2050xf32>, tensor<2050x8192xf32>) outs(%c : tensor<8192x8192xf32>)
      -> tensor<8192x8192xf32>
  return %r : tensor<8192x8192xf32>
}

// CHECK-LABEL: @narrow
// CHECK: scf.for {{.*}} step %c
func.func @narrow(%a: tensor<8192x2048xbf16>, %b: tensor<2048x8192xbf16>, %c: tensor<8192x8192xf32>)
    -> tensor<8192x8192xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8192x2048xbf16>, tensor<2048x8192xbf16>) outs(%c : tensor<8192x8192xf32>)
      -> tensor<8192x8192xf32>
  return %r : tensor<8192x8192xf32>
}

// CHECK-LABEL: @few
// CHECK: scf.for {{.*}} step %c
func.func @few(%a: tensor<512x2048xf32>, %b: tensor<2048x8192xf32>, %c: tensor<512x8192xf32>) -> tensor<512x8192xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x2048xf32>, tensor<2048x8192xf32>) outs(%c : tensor<512x8192xf32>)
      -> tensor<512x8192xf32>
  return %r : tensor<512x8192xf32>
}

// CHECK-LABEL: @few_columns
// CHECK: scf.for {{.*}} step %c
func.func @few_columns(%a: tensor<2048x2048xf32>, %b: tensor<2048x256xf32>, %c: tensor<2048x256xf32>)
    -> tensor<2048x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x256xf32>) outs(%c : tensor<2048x256xf32>)
      -> tensor<2048x256xf32>
  return %r : tensor<2048x256xf32>
}

// Up to 256 columns over many terms are one tile's.
// CHECK-LABEL: @all_columns
// CHECK: linalg.matmul ins({{.*}} : tensor<{{.*}}x512xf32>, tensor<512x256xf32>)
// FAR-LABEL: @all_columns
// FAR: linalg.matmul ins({{.*}}x128xf32>)
func.func @all_columns(%a: tensor<4096x4096xf32>, %b: tensor<4096x256xf32>, %c: tensor<4096x256xf32>)
    -> tensor<4096x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x256xf32>) outs(%c : tensor<4096x256xf32>)
      -> tensor<4096x256xf32>
  return %r : tensor<4096x256xf32>
}
