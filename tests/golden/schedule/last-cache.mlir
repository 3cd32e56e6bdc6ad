// Where the last cache is filled with panels (Zen 3), few rows copy long parts of a factor's rows into them: those that
// are crowded in the first cache, or short. Other rows stay where they are for up to 16 of the other factor's, and are
// copied in short parts for more.
// RUN: tcc-attn opt %s --target=host:znver3 --cores=1 --passes=to-linalg,schedule,parallelize | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver2 --cores=1 --passes=to-linalg,schedule,parallelize | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: func.func @crowded(
// CHECK: scf.forall {{.*}} = (0, 0) to (16, 4096) step ({{.*}}, 4096)
// CHECK: scf.for {{.*}} step %c256
// SHORT-LABEL: func.func @crowded(
// SHORT: scf.forall {{.*}} = (0, 0) to (16, 4096) step ({{.*}}, 512)
// SHORT: scf.for {{.*}} step %c64{{[ _]}}
func.func @crowded(%x: tensor<16x4096xf32>, %w: tensor<4096x4096xf32>, %y: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<16x4096xf32>, tensor<4096x4096xf32>) outs(%y : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  return %0 : tensor<16x4096xf32>
}

// More rows use panels longer: they are of more terms, and fewer columns.
// CHECK-LABEL: func.func @more_rows(
// CHECK: scf.forall {{.*}} = (0, 0) to (64, 4096) step ({{.*}}, 2048)
// CHECK: scf.for {{.*}} step %c512
func.func @more_rows(%x: tensor<64x4096xf32>, %w: tensor<4096x4096xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<64x4096xf32>, tensor<4096x4096xf32>) outs(%y : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %0 : tensor<64x4096xf32>
}

// CHECK-LABEL: func.func @short_rows(
// CHECK: scf.for {{.*}} step %c256
func.func @short_rows(%x: tensor<16x3072xf32>, %w: tensor<3072x768xf32>, %y: tensor<16x768xf32>) -> tensor<16x768xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<16x3072xf32>, tensor<3072x768xf32>) outs(%y : tensor<16x768xf32>) -> tensor<16x768xf32>
  return %0 : tensor<16x768xf32>
}

// CHECK-LABEL: func.func @in_place(
// CHECK: scf.forall {{.*}} = (0, 0) to (16, 4000) step ({{.*}}, 2048)
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
func.func @in_place(%x: tensor<16x4000xf32>, %w: tensor<4000x4000xf32>, %y: tensor<16x4000xf32>) -> tensor<16x4000xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<16x4000xf32>, tensor<4000x4000xf32>) outs(%y : tensor<16x4000xf32>) -> tensor<16x4000xf32>
  return %0 : tensor<16x4000xf32>
}

// CHECK-LABEL: func.func @short_parts(
// CHECK: scf.forall {{.*}} = (0, 0) to (24, 4000) step ({{.*}}, 512)
// CHECK: scf.for {{.*}} step %c64{{[ _]}}
func.func @short_parts(%x: tensor<24x4000xf32>, %w: tensor<4000x4000xf32>, %y: tensor<24x4000xf32>) -> tensor<24x4000xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<24x4000xf32>, tensor<4000x4000xf32>) outs(%y : tensor<24x4000xf32>) -> tensor<24x4000xf32>
  return %0 : tensor<24x4000xf32>
}

// Many rows and columns are shared by threads in large tiles, which pay for copying both.
// CHECK-LABEL: func.func @large(
// CHECK: scf.forall {{.*}} = (0, 0) to (4096, 4096) step (4096, 2048)
// CHECK: scf.for {{.*}} step %c1024
func.func @large(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%y : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
