// Where panels are asked for, a long product of f32 with 21 to 255 rows has tiles of 64 columns, so that panels of 128
// terms stay in the first cache. Not so other rows, columns that are no multiple of 64, few terms, and 16 bits; nor a
// few rows with columns that are no multiple of 128 where the last cache holds the factor: what is left over is read in
// place.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 --cores=2 | FileCheck %s
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 --cores=2 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: @few
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @few
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @few(%a: tensor<21x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<21x4096xf32>)
    -> tensor<21x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<21x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<21x4096xf32>) -> tensor<21x4096xf32>
  return %r : tensor<21x4096xf32>
}

// CHECK-LABEL: @most
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @most
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @most(%a: tensor<32x?xf32>, %b: tensor<?x11008xf32>, %c: tensor<32x11008xf32>)
    -> tensor<32x11008xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x?xf32>, tensor<?x11008xf32>)
      outs(%c : tensor<32x11008xf32>) -> tensor<32x11008xf32>
  return %r : tensor<32x11008xf32>
}

// CHECK-LABEL: @more
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @more
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @more(%a: tensor<255x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<255x4096xf32>)
    -> tensor<255x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<255x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<255x4096xf32>) -> tensor<255x4096xf32>
  return %r : tensor<255x4096xf32>
}

// Fewer rows have wide tiles, of which whole ones are all columns where that can be: what a register tile reads is asked
// for while earlier ones multiply.
// CHECK-LABEL: @fewer
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 512)
// OTHER-LABEL: @fewer
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @fewer(%a: tensor<20x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<20x4096xf32>)
    -> tensor<20x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<20x4096xf32>, tensor<4096x4096xf32>)
      outs(%c : tensor<20x4096xf32>) -> tensor<20x4096xf32>
  return %r : tensor<20x4096xf32>
}

// CHECK-LABEL: @whole_tiles
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 256)
// CHECK: scf.for {{.*}} step %c128
// OTHER-LABEL: @whole_tiles
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @whole_tiles(%a: tensor<9x4096xf32>, %b: tensor<4096x11008xf32>, %c: tensor<9x11008xf32>)
    -> tensor<9x11008xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<9x4096xf32>, tensor<4096x11008xf32>)
      outs(%c : tensor<9x11008xf32>) -> tensor<9x11008xf32>
  return %r : tensor<9x11008xf32>
}

// CHECK-LABEL: @half_a_tile
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @half_a_tile
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @half_a_tile(%a: tensor<21x4096xf32>, %b: tensor<4096x4160xf32>, %c: tensor<21x4160xf32>)
    -> tensor<21x4160xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<21x4096xf32>, tensor<4096x4160xf32>)
      outs(%c : tensor<21x4160xf32>) -> tensor<21x4160xf32>
  return %r : tensor<21x4160xf32>
}

// CHECK-LABEL: @left_over
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// OTHER-LABEL: @left_over
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @left_over(%a: tensor<21x4096xf32>, %b: tensor<4096x4128xf32>, %c: tensor<21x4128xf32>)
    -> tensor<21x4128xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<21x4096xf32>, tensor<4096x4128xf32>)
      outs(%c : tensor<21x4128xf32>) -> tensor<21x4128xf32>
  return %r : tensor<21x4128xf32>
}

// CHECK-LABEL: @nearby
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// OTHER-LABEL: @nearby
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @nearby(%a: tensor<32x2048xf32>, %b: tensor<2048x2112xf32>, %c: tensor<32x2112xf32>)
    -> tensor<32x2112xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x2048xf32>, tensor<2048x2112xf32>)
      outs(%c : tensor<32x2112xf32>) -> tensor<32x2112xf32>
  return %r : tensor<32x2112xf32>
}

// CHECK-LABEL: @nearby_of_more
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @nearby_of_more
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @nearby_of_more(%a: tensor<33x2048xf32>, %b: tensor<2048x2112xf32>, %c: tensor<33x2112xf32>)
    -> tensor<33x2112xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<33x2048xf32>, tensor<2048x2112xf32>)
      outs(%c : tensor<33x2112xf32>) -> tensor<33x2112xf32>
  return %r : tensor<33x2112xf32>
}

// CHECK-LABEL: @open
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// OTHER-LABEL: @open
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @open(%a: tensor<21x4096xf32>, %b: tensor<4096x?xf32>, %c: tensor<21x?xf32>)
    -> tensor<21x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<21x4096xf32>, tensor<4096x?xf32>)
      outs(%c : tensor<21x?xf32>) -> tensor<21x?xf32>
  return %r : tensor<21x?xf32>
}

// CHECK-LABEL: @short
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// OTHER-LABEL: @short
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @short(%a: tensor<21x256xf32>, %b: tensor<256x4096xf32>, %c: tensor<21x4096xf32>)
    -> tensor<21x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<21x256xf32>, tensor<256x4096xf32>)
      outs(%c : tensor<21x4096xf32>) -> tensor<21x4096xf32>
  return %r : tensor<21x4096xf32>
}

// CHECK-LABEL: @halves
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// OTHER-LABEL: @halves
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @halves(%a: tensor<16x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<16x4096xf32>)
    -> tensor<16x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x4096xbf16>, tensor<4096x4096xbf16>)
      outs(%c : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  return %r : tensor<16x4096xf32>
}

// Panels that turn the other factor, whose terms follow each other in memory, are asked for from nine rows on.
// CHECK-LABEL: @turned
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 128)
// CHECK: scf.for {{.*}} step %c128
// OTHER-LABEL: @turned
// OTHER: scf.for {{.*}} step %c256
func.func @turned(%a: tensor<9x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<9x4096xf32>) -> tensor<9x4096xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<9x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<9x4096xf32>) -> tensor<9x4096xf32>
  return %r : tensor<9x4096xf32>
}

// They have 32 columns from twelve rows on, as long as rows and columns fit in the first cache, and 64 beyond.
// CHECK-LABEL: @turned_in_panels
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 32)
// OTHER-LABEL: @turned_in_panels
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @turned_in_panels(%a: tensor<12x4096xf32>, %b: tensor<4000x4096xf32>, %c: tensor<12x4000xf32>)
    -> tensor<12x4000xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<12x4096xf32>, tensor<4000x4096xf32>) outs(%c : tensor<12x4000xf32>)
      -> tensor<12x4000xf32>
  return %r : tensor<12x4000xf32>
}

// CHECK-LABEL: @turned_with_more
// CHECK: scf.forall {{.*}} step ({{[0-9]+}}, 64)
// OTHER-LABEL: @turned_with_more
// OTHER: scf.forall {{.*}} step ({{[0-9]+}}, 128)
func.func @turned_with_more(%a: tensor<65x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<65x4096xf32>)
    -> tensor<65x4096xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<65x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<65x4096xf32>)
      -> tensor<65x4096xf32>
  return %r : tensor<65x4096xf32>
}
