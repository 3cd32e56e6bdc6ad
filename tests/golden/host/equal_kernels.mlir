// Equal kernels share their code, whichever functions they come from; what differs in a number does not.
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=llvm -o - | FileCheck %s

// CHECK-COUNT-2: define private void @"forall:
// CHECK-NOT: define private void @"forall:
// CHECK-LABEL: define i32 @first(
// CHECK: ptr {{.*}}@[[KERNEL:"forall:[.0-9]*"]],
// CHECK-LABEL: define i32 @other(
// CHECK-NOT: @[[KERNEL]],
// CHECK: @"forall:
// CHECK-LABEL: define i32 @second(
// CHECK: ptr {{.*}}@[[KERNEL]],
func.func @first(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %empty = tensor.empty() : tensor<64x128xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %weights : tensor<64x128xf32>
}
func.func @second(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %empty = tensor.empty() : tensor<64x128xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %weights : tensor<64x128xf32>
}
func.func @other(%x: tensor<64x160xf32>) -> tensor<64x160xf32> {
  %empty = tensor.empty() : tensor<64x160xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<64x160xf32>) outs(%empty : tensor<64x160xf32>) -> tensor<64x160xf32>
  return %weights : tensor<64x160xf32>
}
