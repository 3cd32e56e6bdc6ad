// RUN: %reject opt %s | FileCheck %s
// CHECK: tensor-of-tensors.mlir:[[@LINE+1]]:27: error: expected an element type: an integer, index, f16, bf16, f32 or f64{{$}}
func.func @f(%a: tensor<4xtensor<4xf32>>) {
  return
}
