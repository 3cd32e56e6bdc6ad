// A product of f32 whose other factor is larger than the second-level cache, and that has too few rows to make up for
// bringing that from the last one, has tiles of many columns that take one panel of all terms after the other, where
// memory is near: while one panel is used, the next one is asked for (register-tile/prefetch.mlir). With one multiply-add
// a cycle panels are shorter.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 | FileCheck %s --check-prefix=SHORT
// RUN: tcc-attn opt %s --passes=schedule --target=host:emeraldrapids | FileCheck %s --check-prefix=ELSE

// CHECK-LABEL: @in_turn
// CHECK: scf.forall {{.*}} step (1024, 1024)
// CHECK-NOT: scf.for
// CHECK: linalg.matmul
// SHORT-LABEL: @in_turn
// SHORT: scf.forall {{.*}} step (1024, 1024)
// SHORT-NOT: scf.for
// SHORT: linalg.matmul
// ELSE-LABEL: @in_turn
// ELSE: scf.forall {{.*}} step (1024, 128)
func.func @in_turn(%a: tensor<200x512xf32>, %b: tensor<512x1048576xf32>, %c: tensor<200x1048576xf32>) -> tensor<200x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<200x512xf32>, tensor<512x1048576xf32>) outs(%c : tensor<200x1048576xf32>)
      -> tensor<200x1048576xf32>
  return %r : tensor<200x1048576xf32>
}

// CHECK-LABEL: @longer
// CHECK: scf.forall {{.*}} step (1024, 1024)
// SHORT-LABEL: @longer
// SHORT: scf.forall {{.*}} step (1024, 128)
func.func @longer(%a: tensor<200x768xf32>, %b: tensor<768x1048576xf32>, %c: tensor<200x1048576xf32>) -> tensor<200x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<200x768xf32>, tensor<768x1048576xf32>) outs(%c : tensor<200x1048576xf32>)
      -> tensor<200x1048576xf32>
  return %r : tensor<200x1048576xf32>
}

// Few rows read the other factor in steps, many make up for it.
// CHECK-LABEL: @few
// CHECK: scf.for {{.*}} step %c128
func.func @few(%a: tensor<60x512xf32>, %b: tensor<512x1048576xf32>, %c: tensor<60x1048576xf32>) -> tensor<60x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<60x512xf32>, tensor<512x1048576xf32>) outs(%c : tensor<60x1048576xf32>)
      -> tensor<60x1048576xf32>
  return %r : tensor<60x1048576xf32>
}

// CHECK-LABEL: @many
// CHECK: scf.forall {{.*}} step (1024, 128)
func.func @many(%a: tensor<2000x512xf32>, %b: tensor<512x1048576xf32>, %c: tensor<2000x1048576xf32>) -> tensor<2000x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2000x512xf32>, tensor<512x1048576xf32>) outs(%c : tensor<2000x1048576xf32>)
      -> tensor<2000x1048576xf32>
  return %r : tensor<2000x1048576xf32>
}

// Nor is it so for factors that the second-level cache holds, that are widened, of more terms than a panel has, or whose
// extents are open.
// CHECK-LABEL: @small
// CHECK: scf.forall {{.*}} to (200, 512) step ({{.*}}, {{16|32|64|128}})
func.func @small(%a: tensor<200x256xf32>, %b: tensor<256x512xf32>, %c: tensor<200x512xf32>) -> tensor<200x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<200x256xf32>, tensor<256x512xf32>) outs(%c : tensor<200x512xf32>)
      -> tensor<200x512xf32>
  return %r : tensor<200x512xf32>
}

// CHECK-LABEL: @narrow
// CHECK: scf.forall {{.*}} step (1024, 128)
func.func @narrow(%a: tensor<200x512xbf16>, %b: tensor<512x1048576xbf16>, %c: tensor<200x1048576xf32>) -> tensor<200x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<200x512xbf16>, tensor<512x1048576xbf16>) outs(%c : tensor<200x1048576xf32>)
      -> tensor<200x1048576xf32>
  return %r : tensor<200x1048576xf32>
}

// CHECK-LABEL: @long
// CHECK: scf.for {{.*}} step %c
func.func @long(%a: tensor<256x2048xf32>, %b: tensor<2048x1048576xf32>, %c: tensor<256x1048576xf32>) -> tensor<256x1048576xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<256x2048xf32>, tensor<2048x1048576xf32>) outs(%c : tensor<256x1048576xf32>)
      -> tensor<256x1048576xf32>
  return %r : tensor<256x1048576xf32>
}

// CHECK-LABEL: @open
// CHECK: scf.forall {{.*}} step (1024, 128)
func.func @open(%a: tensor<200x512xf32>, %b: tensor<512x?xf32>, %c: tensor<200x?xf32>) -> tensor<200x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<200x512xf32>, tensor<512x?xf32>) outs(%c : tensor<200x?xf32>) -> tensor<200x?xf32>
  return %r : tensor<200x?xf32>
}
