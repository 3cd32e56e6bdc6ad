// One row meets a few long rows of the other factor, each element once, from memory. Where requests get lost these are not
// asked for, and tiles are two registers wide, as the machine follows the rows by itself; but it is asked for what many
// terms or several rows read.
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver5 | FileCheck %s --check-prefix=STEP
// RUN: tcc-attn opt %s --passes=schedule --target=host:znver4 | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir -o - --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --emit=mlir -o - --verify | FileCheck %s --check-prefix=ASKED

// STEP-LABEL: @one(
// STEP: scf.forall {{.*}} step ({{.*}}, 2048)
// STEP: linalg.matmul ins({{.*}} : tensor<1x4xf32>, tensor<4x2048xf32>)
// OTHER-LABEL: @one(
// OTHER: linalg.matmul ins({{.*}} : tensor<1x8xf32>, tensor<8x2048xf32>)
// CHECK-LABEL: @one(
// CHECK-NOT: tec.prefetch = array<i64: {{[1-9]}}
// CHECK: vector.contract {{.*}} : vector<1xf32>, vector<1x32xf32> into vector<32xf32>
// CHECK-NOT: tec.prefetch
// CHECK: return
// ASKED-LABEL: @one(
// ASKED: tec.prefetch
// ASKED: return
func.func @one(%a: tensor<1x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x512xf32>, tensor<512x4096xf32>) outs(%c : tensor<1x4096xf32>)
      -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// CHECK-LABEL: @two(
// CHECK: tec.prefetch
// CHECK: return
func.func @two(%a: tensor<2x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<2x4096xf32>) -> tensor<2x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x512xf32>, tensor<512x4096xf32>) outs(%c : tensor<2x4096xf32>)
      -> tensor<2x4096xf32>
  return %r : tensor<2x4096xf32>
}

// CHECK-LABEL: @narrow(
// CHECK-NOT: vector<1x32xf32> into
// CHECK: return
func.func @narrow(%a: tensor<1x512xf16>, %b: tensor<512x4096xf16>, %c: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x512xf16>, tensor<512x4096xf16>) outs(%c : tensor<1x4096xf32>)
      -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}
